//! What a feed is about: its terms over a window of the reader's choice, how they changed, whether it keeps to its
//! subject, which channels are like it, and which tell the same stories.

use super::river_view::{self, RiverView};
use crate::App;
use crate::channels::{Channels, compared, profile};
use crate::chart::{self, CohesionStrip, Svg, Width};
use crate::discover::ask::{Ask, Wanted};
use crate::discover::row::{Around, ChannelRow, name, plain, telling, term_text, two_places};
use crate::discover::titles;
use crate::problem::Problem;
use crate::shell::Library;
use crate::visitor::Visitor;
use crate::words::{Words, fill};
use domain::{FeedId, Timestamp};
use learn::{FeedProfile, River, Summary, Tie, relation};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;
use store::{Channel, StoryTies};

/// Windows to choose from, from now to in general.
const WINDOWS: [usize; 5] = [20, 60, 120, 240, 500];
const NOW: usize = 20;
const IN_GENERAL: usize = 500;
const TERMS: usize = 12;
/// Terms of the title.
const TITLE_TERMS: usize = 3;
/// A term is new when it is not among so many of those in general.
const OLD_TERMS: usize = 40;
/// With fewer others a place among them says nothing.
const OTHERS_MIN: usize = 4;
const NEAR: usize = 4;
const TIES: usize = 5;
const TIED_SINCE: Duration = Duration::from_secs(60 * 86_400);

pub(super) struct ProfileView {
    pub(super) river: RiverView,
    pub(super) cohesion: CohesionView,
    pub(super) terms: TermsView,
    pub(super) near: Vec<ChannelRow>,
    pub(super) ties: Vec<TieView>,
}

/// What is worked out beside the requests.
struct Learned {
    items: u64,
    river: River,
    shown: Summary,
    general: Summary,
}

impl ProfileView {
    pub(super) async fn load(
        app: &App,
        channels: &Channels,
        visitor: &Visitor,
        library: &Library,
        feed: FeedId,
        window: Option<usize>,
    ) -> Result<ProfileView, Problem> {
        let follows: Arc<HashSet<FeedId>> = Arc::new(library.feeds.keys().copied().collect());
        let window = window.filter(|items| WINDOWS.contains(items)).unwrap_or(NOW);
        let learned = learned(app, visitor, feed, window).await?;
        let changes = channels.changes(app, library.feeds.keys().copied()).await?;
        let ask = Ask {
            app,
            channels,
            user: visitor.id(),
            words: visitor.words,
            follows: follows.clone(),
            now: visitor.now(),
        };
        let near = match ask.answer(Wanted::Like(feed), NEAR).await? {
            Ok(answer) => answer.found,
            Err(_) => Vec::new(),
        };
        let titles = titles(app, visitor, near.iter().map(|one| one.channel.feed)).await?;
        let around =
            Around { base: app.base_path.as_str(), w: visitor.words, follows: &follows, titles: &titles };
        Ok(ProfileView {
            river: RiverView::of(&learned.river, learned.items, visitor),
            cohesion: CohesionView::of(feed, &changes, visitor.words),
            terms: TermsView::of(&learned, window, feed, app.base_path.as_str(), visitor.words),
            near: near.iter().map(|one| ChannelRow::of(one, &around)).collect(),
            ties: ties(app, channels, visitor, feed, &follows).await?,
        })
    }
}

/// A profile of another version is like none: it is learned again.
async fn learned(app: &App, visitor: &Visitor, feed: FeedId, window: usize) -> Result<Learned, Problem> {
    let none = || Learned {
        items: 0,
        river: River { terms: Vec::new(), eras: Vec::new() },
        shown: Summary::default(),
        general: Summary::default(),
    };
    let Some(row) = app.store.feed_profile(visitor.id(), feed).await? else { return Ok(none()) };
    let frequencies = app.finder.frequencies(&app.store).await?;
    let read = compared(app, move || {
        let profile = FeedProfile::from_bytes(&row.state).ok()?;
        let idf = frequencies.of(profile.language());
        Some(Learned {
            items: profile.items(),
            river: profile.river(river_view::TERMS, idf),
            shown: profile.summary(window, idf),
            general: Summary::from_bytes(&row.general).ok()?,
        })
    });
    Ok(read.await?.unwrap_or_else(none))
}

pub(super) struct CohesionView {
    pub(super) title: String,
    /// Why there is no picture.
    pub(super) few: Option<&'static str>,
    pub(super) pictures: Vec<Svg>,
}

impl CohesionView {
    fn of(feed: FeedId, changes: &[(FeedId, f64)], w: &'static Words) -> CohesionView {
        let d = &w.discover;
        let Some(here) = changes.iter().find(|(one, _)| *one == feed).map(|(_, change)| 1.0 - change) else {
            return CohesionView {
                title: d.cohesion_title.to_owned(),
                few: Some(d.cohesion_few),
                pictures: Vec::new(),
            };
        };
        let others: Vec<f64> =
            changes.iter().filter(|(one, _)| *one != feed).map(|(_, change)| 1.0 - change).collect();
        let number = two_places(here, w);
        let title = if others.len() < OTHERS_MIN {
            fill(d.cohesion_alone, &[("n", &number)])
        } else {
            let below = percent(others.iter().filter(|other| **other < here).count(), others.len());
            let above = percent(others.iter().filter(|other| **other > here).count(), others.len());
            let (text, share) =
                if below >= above { (d.cohesion_more, below) } else { (d.cohesion_less, above) };
            fill(text, &[("n", &share)])
        };
        let label = fill(d.cohesion_picture, &[("n", &number), ("all", &others.len())]);
        let strip = CohesionStrip {
            here,
            here_label: &number,
            others: &others,
            many_label: d.many_things,
            one_label: d.one_thing,
            label: &label,
        };
        CohesionView {
            pictures: [Width::Page, Width::Phone].map(|width| chart::cohesion(&strip, width)).into(),
            title,
            few: None,
        }
    }
}

fn percent(part: usize, all: usize) -> usize {
    (part * 100 + all / 2) / all.max(1)
}

pub(super) struct TermsView {
    pub(super) title: String,
    pub(super) windows: Vec<WindowLink>,
    pub(super) rows: Vec<TermRow>,
}

pub(super) struct WindowLink {
    pub(super) label: String,
    pub(super) href: String,
    pub(super) is_here: bool,
}

pub(super) struct TermRow {
    pub(super) text: String,
    pub(super) times: String,
    /// Of 64.
    pub(super) bar: u8,
    pub(super) is_new: bool,
}

impl TermsView {
    fn of(learned: &Learned, window: usize, feed: FeedId, base: &str, w: &'static Words) -> TermsView {
        let d = &w.discover;
        let kept = plain(telling(&learned.shown), TERMS);
        let old: HashSet<text::TermId> =
            learned.general.top(OLD_TERMS).into_iter().map(|term| term.id).collect();
        let heaviest = kept.iter().map(|term| term.weight).fold(0.0, f64::max).max(1e-9);
        let first: Vec<String> = kept.iter().take(TITLE_TERMS).map(|term| term_text(term)).collect();
        let items = u64::try_from(window).unwrap_or(u64::MAX);
        let text = match window {
            NOW => d.terms_now,
            IN_GENERAL => d.terms_general,
            _ => d.terms_last,
        };
        TermsView {
            title: match listed(&first, w) {
                None => d.terms_title.to_owned(),
                Some(terms) => fill(text, &[("terms", &terms), ("n", &w.number(items))]),
            },
            windows: if kept.is_empty() { Vec::new() } else { windows(learned.items, window, feed, base, w) },
            rows: kept
                .into_iter()
                .map(|term| TermRow {
                    text: term_text(term),
                    times: w.count(d.times, u64::from(term.count)),
                    bar: bar(term.weight / heaviest),
                    is_new: window < IN_GENERAL && learned.items > 2 * NOW as u64 && !old.contains(&term.id),
                })
                .collect(),
        }
    }
}

/// `a`, `a and b`, `a, b and c`.
fn listed(terms: &[String], w: &'static Words) -> Option<String> {
    let (last, first) = terms.split_last()?;
    if first.is_empty() {
        return Some(last.clone());
    }
    Some(fill(w.discover.and, &[("first", &first.join(", ")), ("last", last)]))
}

/// Those that the feed's history fills, and the one beyond.
fn windows(items: u64, here: usize, feed: FeedId, base: &str, w: &'static Words) -> Vec<WindowLink> {
    let d = &w.discover;
    let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    WINDOWS
        .iter()
        .filter(|window| {
            **window == here || **window == NOW || **window == IN_GENERAL || count(**window) < items
        })
        .map(|window| WindowLink {
            label: match *window {
                NOW => d.window_now.to_owned(),
                IN_GENERAL => d.window_general.to_owned(),
                other => fill(d.window_items, &[("n", &other)]),
            },
            href: format!("{base}/feed/{feed}/about?window={window}#terms"),
            is_here: *window == here,
        })
        .collect()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 1–64")]
fn bar(share: f64) -> u8 {
    (share * 64.0).round().clamp(1.0, 64.0) as u8
}

/// How this feed stands to another that tells the same stories.
pub(super) struct TieView {
    pub(super) sentence: String,
    pub(super) href: Option<String>,
    /// Which feed to drop, and how the button calls it.
    pub(super) drop: Option<(FeedId, String)>,
    /// The page to come back to after that.
    pub(super) back: String,
}

async fn ties(
    app: &App,
    map: &Channels,
    visitor: &Visitor,
    feed: FeedId,
    follows: &HashSet<FeedId>,
) -> Result<Vec<TieView>, Problem> {
    let since: Timestamp = visitor.now().saturating_sub(TIED_SINCE);
    let mut tied = app.store.story_ties(visitor.id(), feed, since).await?;
    let others: Vec<FeedId> = tied.iter().map(|tie| tie.other).collect();
    let offered = map.offered(app, visitor.id(), &others).await?;
    tied.retain(|tie| follows.contains(&tie.other) || offered.contains(&tie.other));
    // What the person follows comes first: there something can be done about it.
    tied.sort_by_key(|tie| (!follows.contains(&tie.other), std::cmp::Reverse(tie.shared)));
    tied.truncate(2 * TIES);
    let asked: Vec<FeedId> = tied.iter().map(|tie| tie.other).chain([feed]).collect();
    let channels: HashMap<FeedId, Channel> = app
        .store
        .channels_by_id(visitor.id(), &asked)
        .await?
        .into_iter()
        .map(|channel| (channel.feed, channel))
        .collect();
    let own = channels.get(&feed).map(profile).unwrap_or_default();
    let views = tied.iter().filter_map(|tie| {
        let other = channels.get(&tie.other)?;
        let is_followed = follows.contains(&tie.other);
        tie_view(
            tie,
            other,
            own.similarity(&profile(other)),
            feed,
            is_followed,
            app.base_path.as_str(),
            visitor.words,
        )
    });
    Ok(views.take(TIES).collect())
}

fn tie_view(
    tie: &StoryTies,
    other: &Channel,
    similarity: f64,
    feed: FeedId,
    is_followed: bool,
    base: &str,
    w: &'static Words,
) -> Option<TieView> {
    let d = &w.discover;
    let related = relation(tie.shared, tie.items, tie.other_items, similarity);
    let name = name(other).to_owned();
    let whole = |share: f64| format!("{:.0}", share * 100.0);
    let sentence = match related.tie {
        Tie::Contained => fill(d.tie_contained, &[("other", &name), ("share", &whole(related.in_other))]),
        Tie::Contains => fill(d.tie_contains, &[("other", &name), ("share", &whole(related.of_other))]),
        Tie::Similar => fill(
            d.tie_similar,
            &[("other", &name), ("shared", &tie.shared.min(tie.items)), ("all", &tie.items)],
        ),
        Tie::Apart => return None,
    };
    let drop = match related.tie {
        Tie::Contained => Some((feed, d.drop_this.to_owned())),
        Tie::Contains => Some((tie.other, fill(d.drop_other, &[("other", &name)]))),
        Tie::Similar | Tie::Apart => None,
    };
    let drop = drop.filter(|_| is_followed);
    let is_own = drop.as_ref().is_some_and(|(dropped, _)| *dropped == feed);
    Some(TieView {
        sentence,
        href: is_followed.then(|| format!("{base}/feed/{}/about", tie.other)),
        drop,
        // The page of a feed that was left is gone.
        back: if is_own { "/feeds".to_owned() } else { format!("/feed/{feed}/about") },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::preferences::Language;

    #[test]
    fn a_feed_is_placed_among_the_persons_others() {
        let en = Words::of(Language::English);
        let changes = |here: f64, others: &[f64]| -> Vec<(FeedId, f64)> {
            (1..).map(FeedId).zip([here].into_iter().chain(others.iter().copied())).collect()
        };
        let title = |here: f64, others: &[f64]| CohesionView::of(FeedId(1), &changes(here, others), en).title;
        let others = [0.9, 0.8, 0.7, 0.6, 0.1];
        assert_eq!(title(0.38, &others), "Keeps to its subject more than 80 % of your feeds");
        assert_eq!(title(0.85, &others), "Says more different things than 80 % of your feeds");
        assert_eq!(title(0.38, &[0.5]), "Keeps to its subject: 0.62 of 1");
        let unknown = CohesionView::of(FeedId(9), &changes(0.1, &[]), en);
        assert!(unknown.few.is_some() && unknown.pictures.is_empty());
    }

    #[test]
    fn lists_are_read_aloud() {
        let en = Words::of(Language::English);
        let of =
            |terms: &[&str]| listed(&terms.iter().map(|term| (*term).to_owned()).collect::<Vec<_>>(), en);
        assert_eq!(of(&[]), None);
        assert_eq!(of(&["a"]).as_deref(), Some("a"));
        assert_eq!(of(&["a", "b", "c"]).as_deref(), Some("a, b and c"));
    }

    #[test]
    fn windows_beyond_the_history_are_not_offered() {
        let of = |items| -> Vec<String> {
            let all = windows(items, 20, FeedId(3), "", Words::of(Language::English));
            all.into_iter().map(|one| one.label).collect()
        };
        assert_eq!(of(30), ["Now", "In general"]);
        assert_eq!(of(130), ["Now", "60 items", "120 items", "In general"]);
    }
}
