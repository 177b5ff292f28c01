//! `/foryou/learned`: all that was learnt of a person, to be looked at, corrected and forgotten.

use crate::App;
use crate::foryou::why::name;
use crate::foryou::{ForYou, Ranker, Ranking};
use crate::own_path::OwnPath;
use crate::page::render;
use crate::problem::Problem;
use crate::shell::{Here, Library, Shell};
use crate::visitor::{Visitor, wants_json};
use crate::words::{Words, fill};
use askama::Template;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Form, Json};
use bytes::Bytes;
use domain::FeedId;
use learn::Topics;
use rank::{Feature, LIKING_MAX, Learned, Taste};
use recall::{Person, Recalled};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use store::UndoToken;
use text::TermId;

/// Lines of each section.
const LINES_MAX: usize = 60;
/// What one press of "more" or "less" adds.
const STEP: f32 = 1.0;
/// What choosing a topic on the first day says of it.
const CHOSEN: f32 = 2.0;
const CHOSEN_MAX: usize = 50;
/// Half a bar, and the liking that fills it.
const BAR: f32 = 32.0;
const BAR_FULL: f32 = 3.0;
/// Less certain than this, and nothing is claimed.
const CERTAIN: f32 = 0.03;

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Asked {
    /// What the form before did.
    #[serde(default)]
    said: String,
    /// Takes it back, for its owner only.
    undo: Option<i64>,
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    Extension(foryou): Extension<Arc<ForYou>>,
    visitor: Visitor,
    headers: HeaderMap,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    let f = &visitor.words.foryou;
    let said = match asked.said.as_str() {
        "changed" => Some(f.said_changed),
        "reset" => Some(f.said_reset),
        "busy" => Some(f.said_busy),
        _ => None,
    };
    let library = Library::load(&app, &visitor).await?;
    let sections = Known::load(&app, &foryou, &visitor, &library).await?.sections(visitor.words, &library);
    let shell = Shell::load(&app, &visitor, &headers, &library, Here::ForYou).await?;
    let page = LearnedPage {
        shell: &shell,
        w: visitor.words,
        said,
        undo: asked.undo.filter(|_| asked.said == "reset"),
        sections,
    };
    Ok(render(StatusCode::OK, &page))
}

/// What was learnt, and the names of what it is about.
struct Known {
    person: Person,
    ranking: Arc<Ranking>,
    topics: Arc<Topics>,
}

impl Known {
    async fn load(
        app: &App,
        foryou: &ForYou,
        visitor: &Visitor,
        library: &Library,
    ) -> Result<Known, Problem> {
        let pin = foryou.pin(app, visitor.id(), visitor.now()).await?;
        let feeds = recall::facts(library.feeds.values());
        let ranking = foryou.ranking(app, visitor.id(), &feeds, pin, Ranker::ForYou).await?;
        let topics = foryou.topics(app, visitor.now()).await?;
        let recalled = Recalled::load(&app.store, visitor.id(), feeds, visitor.now()).await?;
        Ok(Known { person: recalled.person(&topics), ranking, topics })
    }

    fn name(&self, feature: Feature, w: &'static Words, library: &Library) -> Option<String> {
        let f = &w.foryou;
        Some(match feature {
            Feature::Topic(topic) => match self.ranking.topics.get(&topic) {
                Some(name) => name.clone(),
                None => self.unnamed(topic, w, library),
            },
            Feature::Feed(feed) => name(library, feed, w),
            Feature::Word(term) => self.person.surfaces.get(&term).filter(|word| !word.is_empty())?.clone(),
            Feature::Age => f.rest_age.to_owned(),
            Feature::Interest => f.rest_interest.to_owned(),
            Feature::Novelty => f.rest_novelty.to_owned(),
            Feature::Copies => f.rest_copies.to_owned(),
            Feature::Rate => f.rest_rate.to_owned(),
            Feature::Bias => f.rest_bias.to_owned(),
        })
    }

    /// A topic none of whose words stands in the person's own items goes by a feed of theirs.
    fn unnamed(&self, topic: u16, w: &'static Words, library: &Library) -> String {
        let of = |feed: &FeedId| self.topics.of_feed(*feed).first().is_some_and(|(first, _)| *first == topic);
        let mut own: Vec<FeedId> = library.feeds.keys().copied().filter(of).collect();
        own.sort_unstable();
        match own.first() {
            Some(feed) => fill(w.foryou.unnamed, &[("feed", &name(library, *feed, w))]),
            None => w.foryou.unnamed_alone.to_owned(),
        }
    }

    fn sections(&self, w: &'static Words, library: &Library) -> Vec<Section> {
        let f = &w.foryou;
        let learned = self.person.taste.learned();
        let section = |title, of: fn(&Feature) -> bool| {
            let lines = learned.iter().filter(|one| of(&one.feature));
            let line = |one: &Learned| Some(Line::of(one, self.name(one.feature, w, library)?, w));
            Section { title, lines: lines.filter_map(line).take(LINES_MAX).collect() }
        };
        let all = [
            section(f.topics, |feature| matches!(feature, Feature::Topic(_))),
            section(f.feeds, |feature| matches!(feature, Feature::Feed(_))),
            section(f.words_title, |feature| matches!(feature, Feature::Word(_))),
            section(f.rest, |feature| {
                !matches!(feature, Feature::Topic(_) | Feature::Feed(_) | Feature::Word(_) | Feature::Bias)
            }),
        ];
        all.into_iter().filter(|section| !section.lines.is_empty()).collect()
    }
}

struct Section {
    title: &'static str,
    lines: Vec<Line>,
}

struct Line {
    /// As [`read_feature`] reads it.
    what: String,
    name: String,
    /// How much it is liked, in words.
    liked: &'static str,
    /// Of a picture 64 wide: where the bar begins and how long it is.
    bar_from: u32,
    bar: u32,
    is_liked: bool,
    more_label: String,
    less_label: String,
    forget_label: String,
}

impl Line {
    fn of(one: &Learned, name: String, w: &'static Words) -> Line {
        let f = &w.foryou;
        let bar = ((one.liking.abs() / BAR_FULL).min(1.0) * BAR).ceil() as u32;
        let label = |text: &'static str| fill(text, &[("name", &name)]);
        Line {
            what: feature_text(one.feature),
            liked: liked(one, w),
            bar_from: if one.liking < 0.0 { BAR as u32 - bar } else { BAR as u32 },
            bar,
            is_liked: one.liking >= 0.0,
            more_label: label(f.more_of_label),
            less_label: label(f.less_of_label),
            forget_label: label(f.forget_label),
            name,
        }
    }
}

fn liked(one: &Learned, w: &'static Words) -> &'static str {
    let f = &w.foryou;
    match one.liking {
        _ if one.certainty < CERTAIN => f.unsure,
        liking if liking >= 1.5 => f.likes_much,
        liking if liking >= 0.5 => f.likes,
        liking if liking >= 0.0 => f.likes_little,
        liking if liking > -0.5 => f.dislikes_little,
        liking if liking > -1.5 => f.dislikes,
        _ => f.dislikes_much,
    }
}

const PLAIN: [(Feature, &str); 5] = [
    (Feature::Age, "age"),
    (Feature::Interest, "interest"),
    (Feature::Novelty, "novelty"),
    (Feature::Copies, "copies"),
    (Feature::Rate, "rate"),
];

/// `topic:7`, `feed:12`, `word:…`, or a name.
fn feature_text(feature: Feature) -> String {
    match feature {
        Feature::Topic(topic) => format!("topic:{topic}"),
        Feature::Feed(feed) => format!("feed:{feed}"),
        Feature::Word(term) => format!("word:{}", term.0),
        plain => PLAIN.iter().find(|(one, _)| *one == plain).map_or("bias", |(_, name)| name).to_owned(),
    }
}

fn read_feature(text: &str) -> Option<Feature> {
    match text.split_once(':') {
        Some(("topic", topic)) => {
            topic.parse().ok().filter(|topic| usize::from(*topic) < rank::TOPICS_MAX).map(Feature::Topic)
        }
        Some(("feed", feed)) => feed.parse().ok().map(FeedId).map(Feature::Feed),
        Some(("word", term)) => term.parse().ok().map(TermId).map(Feature::Word),
        Some(_) => None,
        None => PLAIN.iter().find(|(_, name)| *name == text).map(|(feature, _)| *feature),
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct Change {
    /// `more:topic:7`, `less:feed:12`, `forget:word:…`.
    change: String,
}

/// One correction. It is of what is known now; what somebody else's forms name is only a number here.
pub(crate) async fn change(
    State(app): State<Arc<App>>,
    Extension(foryou): Extension<Arc<ForYou>>,
    visitor: Visitor,
    headers: HeaderMap,
    Form(form): Form<Change>,
) -> Result<Response, Problem> {
    let (how, what) = form.change.split_once(':').ok_or_else(Problem::bad_form)?;
    let feature = read_feature(what).ok_or_else(Problem::bad_form)?;
    let apply: fn(&mut Taste, Feature) = match how {
        "more" => |taste, feature| step(taste, feature, STEP),
        "less" => |taste, feature| step(taste, feature, -STEP),
        "forget" => Taste::forget,
        _ => return Err(Problem::bad_form()),
    };
    let topics = foryou.topics(&app, visitor.now()).await?;
    let (user, now) = (visitor.id(), visitor.now());
    // Only what was learnt can be changed: a form cannot plant what no page shows.
    let done = recall::change(&app.store, &topics, user, now, |person| {
        if person.taste.learned().iter().any(|one| one.feature == feature) {
            apply(&mut person.taste, feature);
        }
    });
    Ok(answer(&app, &headers, if done.await? { "changed" } else { "busy" }, None))
}

fn step(taste: &mut Taste, feature: Feature, by: f32) {
    let now = taste.learned().iter().find(|one| one.feature == feature).map_or(0.0, |one| one.liking);
    taste.set(feature, (now + by).clamp(-LIKING_MAX, LIKING_MAX));
}

/// Forgets everything; that can be taken back.
pub(crate) async fn reset(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let fresh = Taste::default().to_bytes();
    let undo = app.store.reset_taste(visitor.id(), &fresh, visitor.now()).await?;
    Ok(answer(&app, &headers, "reset", undo))
}

fn answer(app: &App, headers: &HeaderMap, said: &str, undo: Option<UndoToken>) -> Response {
    let undo = undo.map(|UndoToken(undo)| undo);
    if wants_json(headers) {
        return Json(serde_json::json!({ "ok": said != "busy", "undo": undo })).into_response();
    }
    let undo = undo.map(|undo| format!("&undo={undo}")).unwrap_or_default();
    OwnPath::parse(&app.base_path, &format!("/foryou/learned?said={said}{undo}")).redirect()
}

/// The first day: topics that were chosen, or none; nobody is asked twice.
pub(crate) async fn choose(
    State(app): State<Arc<App>>,
    Extension(foryou): Extension<Arc<ForYou>>,
    visitor: Visitor,
    body: Bytes,
) -> Result<Response, Problem> {
    let topics = foryou.topics(&app, visitor.now()).await?;
    let chosen: Vec<u16> = url::form_urlencoded::parse(&body)
        .filter(|(key, _)| key == "topic")
        .take(CHOSEN_MAX)
        .filter_map(|(_, topic)| topic.parse().ok())
        .filter(|topic| topics.get(*topic).is_some())
        .collect();
    recall::change(&app.store, &topics, visitor.id(), visitor.now(), |person| {
        person.asked = true;
        for topic in &chosen {
            person.taste.set(Feature::Topic(*topic), CHOSEN);
        }
    })
    .await?;
    Ok(OwnPath::parse(&app.base_path, "/foryou").redirect())
}

/// One thing that was learnt, as exports and scripts have it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Told {
    /// `topic`, `feed`, `word`, or a name of what is true of all items.
    pub(crate) kind: String,
    pub(crate) name: String,
    /// Above zero it is liked, in logits.
    pub(crate) liking: f32,
    /// 0 nothing was seen of it, 1 all is known.
    pub(crate) certainty: f32,
}

/// All of it.
pub(crate) async fn told(
    app: &App,
    foryou: &ForYou,
    visitor: &Visitor,
    library: &Library,
) -> Result<Vec<Told>, Problem> {
    let known = Known::load(app, foryou, visitor, library).await?;
    let one = |one: Learned| {
        let text = feature_text(one.feature);
        let kind = text.split(':').next().unwrap_or_default().to_owned();
        let name = known.name(one.feature, visitor.words, library)?;
        Some(Told { kind, name, liking: one.liking, certainty: one.certainty })
    };
    Ok(known.person.taste.learned().into_iter().filter_map(one).collect())
}

#[derive(Template)]
#[template(path = "learned.html")]
struct LearnedPage<'a> {
    shell: &'a Shell,
    w: &'static Words,
    said: Option<&'static str>,
    undo: Option<i64>,
    sections: Vec<Section>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_form_names_comes_back_and_strange_names_are_none() {
        let all =
            [Feature::Topic(7), Feature::Feed(FeedId(12)), Feature::Word(TermId(u64::MAX)), Feature::Age];
        for feature in all {
            assert_eq!(read_feature(&feature_text(feature)), Some(feature));
        }
        for odd in ["", "topic:", "topic:128", "topic:-1", "feed:x", "word:1.5", "bias", "a:b", "feed"] {
            assert_eq!(read_feature(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_bar_begins_in_the_middle_and_ends_within() {
        let line = |liking: f32| {
            let one = Learned { feature: Feature::Topic(1), liking, certainty: 0.5 };
            let line = Line::of(&one, "tide".into(), Words::of(domain::preferences::Language::English));
            (line.bar_from, line.bar, line.liked)
        };
        assert_eq!(line(1.5), (32, 16, "liked much"));
        assert_eq!(line(-0.75), (24, 8, "disliked"));
        assert_eq!(line(8.0), (32, 32, "liked much"));
        assert_eq!(line(-8.0), (0, 32, "disliked much"));
    }
}
