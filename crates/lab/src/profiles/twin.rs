//! The profile that polling after every item would hold, the one that a policy holds, and how alike they were over time.

use super::corpus::{Corpus, Frozen, Post};
use learn::{Step, Window, cosine};

/// Two windows over one channel; their inner product is kept up with each item.
#[derive(Debug, Clone)]
pub(crate) struct Twin {
    best: Window,
    held: Window,
    dot: f64,
    idf: usize,
    since: i64,
    /// Similarity × seconds.
    gathered: f64,
    from: i64,
}

impl Twin {
    pub(crate) fn new(window: usize, begin: i64) -> Self {
        Twin {
            best: Window::new(window),
            held: Window::new(window),
            dot: 0.0,
            idf: 0,
            since: begin,
            gathered: 0.0,
            from: begin,
        }
    }

    /// The channel posts.
    pub(crate) fn post(&mut self, post: &Post, corpus: &Corpus) {
        self.pass(post.at);
        let idf = self.frozen(corpus, post.at);
        self.dot += self.held.project(&post.bag);
        let step = self.best.push(&post.bag, idf);
        if let Some(left) = step.left {
            self.dot -= self.held.project(&left);
        }
    }

    /// The policy finds an item.
    pub(crate) fn capture(&mut self, post: &Post, at: i64, corpus: &Corpus) -> Step {
        self.pass(at);
        let idf = self.frozen(corpus, at);
        self.dot += self.best.project(&post.bag);
        let step = self.held.push(&post.bag, idf);
        if let Some(left) = &step.left {
            self.dot -= self.best.project(left);
        }
        step
    }

    pub(crate) fn similarity(&self) -> f64 {
        cosine(self.dot, self.best.norm2(), self.held.norm2())
    }

    /// Eq. 4 for this channel.
    pub(crate) fn quality(&mut self, end: i64) -> f64 {
        self.pass(end);
        if end > self.from { self.gathered / (end - self.from) as f64 } else { self.similarity() }
    }

    pub(crate) fn held(&self) -> &Window {
        &self.held
    }

    fn pass(&mut self, to: i64) {
        if to > self.since {
            self.gathered += self.similarity() * (to - self.since) as f64;
            self.since = to;
        }
    }

    /// The idf in force; when that changes, both profiles are weighed anew.
    fn frozen<'a>(&mut self, corpus: &'a Corpus, at: i64) -> &'a Frozen {
        let now = corpus.idf_at(at);
        if now != self.idf {
            self.idf = now;
            self.best.refresh(&corpus.idf[now]);
            self.held.refresh(&corpus.idf[now]);
            self.dot = self.best.dot(&self.held);
        }
        &corpus.idf[now]
    }
}
