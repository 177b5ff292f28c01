//! The frame of every page for a signed-in person: rail, bottom bar, and how they like it.

use crate::App;
use crate::admin::fetching::BUDGET_SETTING;
use crate::chart::{self, Svg};
use crate::page::Frame;
use crate::problem::Problem;
use crate::schedule::{amount, budget_of};
use crate::visitor::Visitor;
use crate::when::When;
use crate::words::{Words, fill};
use axum::http::HeaderMap;
use domain::{FeedId, Folder, FolderId, Preferences, Timestamp, UserId};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use store::SubscribedFeed;

/// What `main.js` needs before it runs, named to the browser at once so that it need not find out one by one.
pub(crate) const MODULES: [&str; 6] = ["act", "keys", "later", "list", "parts", "seen"];

/// Where the person is; marks the entry of the rail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Here {
    ForYou,
    Newest,
    Unread,
    Starred,
    Buzz,
    Search,
    Tags,
    Friends,
    Hidden,
    Discover,
    Feeds,
    Schedule,
    Rules,
    Settings,
    Admin,
    Feed(FeedId),
    Folder(FolderId),
    Elsewhere,
}

#[derive(Debug)]
pub(crate) struct Shell {
    pub(crate) frame: Frame,
    pub(crate) w: &'static Words,
    pub(crate) likes: Preferences,
    pub(crate) name: String,
    pub(crate) is_admin: bool,
    pub(crate) here: Here,
    pub(crate) views: Vec<View>,
    pub(crate) entries: Vec<Entry>,
    /// When polling goes on, in one line.
    pub(crate) next_check: String,
    /// How much of the budget the person's feeds have used today.
    pub(crate) used_today: Option<String>,
    /// When the person's feeds are checked, as a picture.
    pub(crate) checks: Svg,
    /// An administrator has stopped all fetching; every page says so (N29).
    pub(crate) is_halted: bool,
    /// Texts for the scripts, as JSON.
    pub(crate) texts: String,
}

/// Views that the bar of a phone has no room for and "More" lists first.
pub(crate) const PHONE_MORE: [&str; 4] = ["unread", "star", "discover", "friends"];

/// An entry at the top of the rail.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) icon: &'static str,
    pub(crate) label: &'static str,
    pub(crate) href: String,
    pub(crate) count: Option<String>,
    pub(crate) is_here: bool,
    /// The key that leads there.
    pub(crate) hint: Option<&'static str>,
    /// What the scripts call it.
    pub(crate) key: &'static str,
}

/// A folder or a feed of the rail, in reading order.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) folder: Option<FolderEntry>,
    pub(crate) feed: Option<FeedEntry>,
}

#[derive(Debug)]
pub(crate) struct FolderEntry {
    pub(crate) id: FolderId,
    pub(crate) name: String,
    pub(crate) unread: String,
    pub(crate) depth: u8,
    pub(crate) is_folded: bool,
    /// An outer folder is folded.
    pub(crate) is_out_of_sight: bool,
    pub(crate) is_here: bool,
    pub(crate) toggle: String,
}

#[derive(Debug)]
pub(crate) struct FeedEntry {
    pub(crate) id: FeedId,
    pub(crate) name: String,
    pub(crate) unread: String,
    /// How far it is moved in.
    pub(crate) depth: u8,
    /// How many folders it lies in.
    pub(crate) inside: u8,
    pub(crate) icon: Icon,
    pub(crate) is_out_of_sight: bool,
    pub(crate) is_here: bool,
    /// A word on what is wrong with it, if anything.
    pub(crate) trouble: Option<&'static str>,
}

/// A feed's picture: its own, or a letter on a tint.
#[derive(Debug, Clone)]
pub(crate) struct Icon {
    pub(crate) href: Option<String>,
    pub(crate) letter: String,
    /// One of eight tints, by the feed's number.
    pub(crate) tint: u8,
}

impl Icon {
    /// For a feed without a picture of its own, or one the person does not follow.
    pub(crate) fn of(feed: FeedId, name: &str) -> Icon {
        let letter = name.chars().find(|c| c.is_alphanumeric());
        Icon {
            href: None,
            letter: letter.map(|c| c.to_uppercase().to_string()).unwrap_or_else(|| "·".to_owned()),
            tint: u8::try_from(feed.0.rem_euclid(8)).unwrap_or(0),
        }
    }
}

const FOLD_COOKIE: &str = "wellread-folded";
const DEPTH_MAX: u8 = 16;

/// A person's feeds as every list needs them.
pub(crate) struct Library {
    pub(crate) feeds: HashMap<FeedId, SubscribedFeed>,
    pub(crate) folders: Vec<Folder>,
    order: Vec<FeedId>,
    base: String,
}

impl Library {
    pub(crate) async fn load(app: &App, visitor: &Visitor) -> Result<Library, Problem> {
        Library::of(app, visitor.id()).await
    }

    /// The same for somebody who asks by script.
    pub(crate) async fn of(app: &App, user: UserId) -> Result<Library, Problem> {
        let (subscribed, folders) = app.store.library(user).await?;
        Ok(Library::new(app, subscribed, folders))
    }

    /// One feed alone, or nothing when the person does not follow it.
    pub(crate) async fn of_feed(app: &App, visitor: &Visitor, feed: FeedId) -> Result<Library, Problem> {
        let one = app.store.subscription(visitor.id(), feed).await?;
        Ok(Library::new(app, one.into_iter().collect(), Vec::new()))
    }

    fn new(app: &App, subscribed: Vec<SubscribedFeed>, folders: Vec<Folder>) -> Library {
        let mut named: Vec<(String, FeedId)> =
            subscribed.iter().map(|one| (name_of(one).to_lowercase(), one.feed.id)).collect();
        named.sort();
        let order = named.into_iter().map(|(_, id)| id).collect();
        let feeds = subscribed.into_iter().map(|one| (one.feed.id, one)).collect();
        Library { feeds, folders, order, base: app.base_path.as_str().to_owned() }
    }

    pub(crate) fn name(&self, feed: FeedId) -> Option<String> {
        self.feeds.get(&feed).map(|one| name_of(one).to_owned())
    }

    pub(crate) fn icon(&self, feed: FeedId) -> Icon {
        let one = self.feeds.get(&feed);
        let href =
            one.and_then(|one| one.icon).map(|version| format!("{}/icon/{feed}?v={version:x}", self.base));
        Icon { href, ..Icon::of(feed, one.map(name_of).unwrap_or_default()) }
    }

    pub(crate) fn unread(&self) -> u64 {
        self.feeds.values().map(|one| one.subscription.unread).sum()
    }

    pub(crate) fn folder(&self, id: FolderId) -> Option<&Folder> {
        self.folders.iter().find(|folder| folder.id == id)
    }

    /// A folder and the folders inside it.
    pub(crate) fn within(&self, folder: FolderId) -> HashSet<FolderId> {
        let mut inside = HashSet::from([folder]);
        for _ in 0..DEPTH_MAX {
            let before = inside.len();
            let more: Vec<FolderId> = self
                .folders
                .iter()
                .filter(|one| one.parent.is_some_and(|parent| inside.contains(&parent)))
                .map(|one| one.id)
                .collect();
            inside.extend(more);
            if inside.len() == before {
                break;
            }
        }
        inside
    }

    pub(crate) fn unread_within(&self, folder: FolderId) -> u64 {
        let inside = self.within(folder);
        self.feeds
            .values()
            .filter(|one| one.subscription.folder.is_some_and(|folder| inside.contains(&folder)))
            .map(|one| one.subscription.unread)
            .sum()
    }
}

/// The person's own name for a feed, else its title, else its address.
pub(crate) fn name_of(one: &SubscribedFeed) -> &str {
    one.subscription
        .title
        .as_deref()
        .or(one.feed.facts.title.as_deref())
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .unwrap_or(&one.feed.url)
}

impl Shell {
    pub(crate) async fn load(
        app: &App,
        visitor: &Visitor,
        headers: &HeaderMap,
        library: &Library,
        here: Here,
    ) -> Result<Shell, Problem> {
        let around = app.store.surroundings(visitor.id(), BUDGET_SETTING, visitor.now()).await?;
        let budget = budget_of(app, around.setting.as_deref());
        let next_check = next_check(visitor, around.halted, around.next_due_at);
        let w = visitor.words;
        let frame = Frame::new(&app.base_path, w);
        let folded = folded(headers);
        Ok(Shell {
            views: views(&frame, w, here, library.unread(), around.starred),
            entries: Tree { library, here, folded: &folded, w }.entries(),
            next_check,
            used_today: used_today(around.polls_today, library, budget, w),
            checks: checks(visitor, library, around.halted),
            is_halted: around.halted,
            texts: script_texts(w),
            likes: visitor.likes().clone(),
            name: visitor.account.user.name.clone(),
            is_admin: visitor.account.user.is_admin,
            here,
            frame,
            w,
        })
    }
}

fn views(frame: &Frame, w: &'static Words, here: Here, unread: u64, starred: u64) -> Vec<View> {
    let count = |n: u64| (n > 0).then(|| w.number(n));
    let view = |icon, label, path: &str, count, place: Here| View {
        icon,
        label,
        href: frame.base.join(path),
        count,
        is_here: here == place,
        hint: (place == Here::Search).then_some("/"),
        key: icon,
    };
    let c = &w.common;
    vec![
        view("foryou", w.foryou.title, "/foryou", count(unread), Here::ForYou),
        view("newest", c.newest, "/newest", None, Here::Newest),
        view("unread", c.unread, "/unread", count(unread), Here::Unread),
        view("star", c.starred, "/starred", count(starred), Here::Starred),
        view("buzz", w.buzz.title, "/buzz", None, Here::Buzz),
        view("search", w.search.title, "/search", None, Here::Search),
        view("discover", w.discover.title, "/discover", None, Here::Discover),
        view("friends", w.friends.title, "/friends", None, Here::Friends),
        view("tag", c.tags, "/tags", None, Here::Tags),
        view("feeds", c.feeds, "/feeds", None, Here::Feeds),
        view("schedule", w.schedule.title, "/schedule", None, Here::Schedule),
    ]
}

struct Tree<'a> {
    library: &'a Library,
    here: Here,
    folded: &'a HashSet<FolderId>,
    w: &'static Words,
}

impl Tree<'_> {
    fn entries(&self) -> Vec<Entry> {
        let mut entries = Vec::new();
        self.add_folders(None, 0, false, &mut entries);
        self.add_feeds(None, 0, false, &mut entries);
        entries
    }

    /// Depth is bounded by the store; the bound here keeps a damaged tree from hanging a page.
    fn add_folders(&self, parent: Option<FolderId>, depth: u8, out_of_sight: bool, entries: &mut Vec<Entry>) {
        if depth >= DEPTH_MAX {
            return;
        }
        let mut folders: Vec<&Folder> =
            self.library.folders.iter().filter(|folder| folder.parent == parent).collect();
        folders.sort_by_key(|folder| folder.name.to_lowercase());
        for folder in folders {
            let is_folded = self.folded.contains(&folder.id);
            let toggle = if is_folded { self.w.common.show_folder } else { self.w.common.hide_folder };
            let unread = self.library.unread_within(folder.id);
            entries.push(Entry {
                folder: Some(FolderEntry {
                    id: folder.id,
                    name: folder.name.clone(),
                    unread: self.count(unread),
                    depth,
                    is_folded,
                    is_out_of_sight: out_of_sight,
                    is_here: self.here == Here::Folder(folder.id),
                    toggle: fill(toggle, &[("name", &folder.name)]),
                }),
                feed: None,
            });
            let hidden = out_of_sight || is_folded;
            self.add_folders(Some(folder.id), depth.saturating_add(1), hidden, entries);
            self.add_feeds(Some(folder.id), depth.saturating_add(1), hidden, entries);
        }
    }

    fn add_feeds(&self, folder: Option<FolderId>, depth: u8, out_of_sight: bool, entries: &mut Vec<Entry>) {
        for id in &self.library.order {
            let Some(one) = self.library.feeds.get(id).filter(|one| one.subscription.folder == folder) else {
                continue;
            };
            entries.push(Entry {
                folder: None,
                feed: Some(FeedEntry {
                    id: *id,
                    name: name_of(one).to_owned(),
                    unread: self.count(one.subscription.unread),
                    depth: depth.saturating_sub(1),
                    inside: depth,
                    icon: self.library.icon(*id),
                    is_out_of_sight: out_of_sight,
                    is_here: self.here == Here::Feed(*id),
                    trouble: self.trouble(one),
                }),
            });
        }
    }

    fn trouble(&self, one: &SubscribedFeed) -> Option<&'static str> {
        const FAILURES_TO_MENTION: u32 = 3;
        if one.subscription.paused {
            Some(self.w.common.paused)
        } else {
            (one.health.failures >= FAILURES_TO_MENTION).then_some(self.w.common.failing)
        }
    }

    fn count(&self, n: u64) -> String {
        if n == 0 { String::new() } else { self.w.number(n) }
    }
}

/// Since midnight UTC: days of polls are counted that way.
fn used_today(polls: u32, library: &Library, budget: f64, w: &'static Words) -> Option<String> {
    let feeds = library.feeds.values().filter(|one| !one.subscription.paused).count();
    let each = f64::from(polls) / f64::from(u32::try_from(feeds).unwrap_or(u32::MAX));
    (feeds > 0).then(|| fill(w.schedule.used_today, &[("used", &w.decimal(each)), ("n", &amount(budget, w))]))
}

/// Today of the person's zone: the last and the next check of each feed.
fn checks(visitor: &Visitor, library: &Library, is_halted: bool) -> Svg {
    let now = visitor.now();
    let Some(part) = visitor.clock.day_part(now) else { return Svg::default() };
    // Places in the day by plain arithmetic: a zone's rules for each of hundreds of feeds would be most of a page's work.
    let place = |at: Timestamp| {
        let away = i32::try_from(at.seconds().saturating_sub(now.seconds())).unwrap_or(i32::MAX);
        part + f64::from(away) / 86_400.0
    };
    let past = library.feeds.values().filter_map(|one| one.health.last_success_at).map(place);
    let next = library
        .feeds
        .values()
        .filter(|one| !is_halted && !one.subscription.paused)
        .map(|one| place(one.health.next_poll_at.max(now)));
    chart::checks(past, next, part)
}

fn next_check(visitor: &Visitor, is_halted: bool, due_at: Option<Timestamp>) -> String {
    let c = &visitor.words.common;
    if is_halted {
        return c.halted.to_owned();
    }
    let now = visitor.now();
    match due_at {
        None => c.no_check.to_owned(),
        Some(at) if at <= now => c.checking_now.to_owned(),
        Some(at) => {
            let When { short, .. } = visitor.clock.ahead(at);
            fill(c.next_check, &[("when", &short)])
        }
    }
}

/// Folders the person has folded, as their browser remembers.
fn folded(headers: &HeaderMap) -> HashSet<FolderId> {
    const FOLDERS_MAX: usize = 500;
    crate::visitor::cookie(headers, FOLD_COOKIE)
        .map(|value| {
            value
                .reveal()
                .split('.')
                .take(FOLDERS_MAX)
                .filter_map(|id| id.parse().ok())
                .map(FolderId)
                .collect()
        })
        .unwrap_or_default()
}

/// What scripts say; the same words as everywhere.
fn script_texts(w: &'static Words) -> String {
    let (c, i, l) = (&w.common, &w.item, &w.list);
    let texts = [
        ("undo", c.undo),
        ("offline", c.offline),
        ("online", c.back_online),
        ("notDone", c.not_done),
        ("signedOut", c.signed_out_elsewhere),
        ("copied", c.copied),
        ("shared", w.friends.shared_toast),
        ("withdrawn", w.friends.withdrawn_toast),
        ("shareAgain", w.friends.share_again),
        ("undone", c.undone),
        ("starred", i.starred_toast),
        ("unstarred", i.unstarred_toast),
        ("read", i.read_toast),
        ("unread", i.unread_toast),
        ("hidden", i.hidden),
        ("tagged", i.tagged_toast),
        ("untagged", i.untagged_toast),
        ("markedAll", l.marked_all),
        ("nothingMarked", l.nothing_marked),
        ("new", l.n_new),
        ("star", l.star),
        ("unstar", l.unstar),
        ("markRead", i.mark_read),
        ("markUnread", i.mark_unread),
        ("working", i.full_working),
        ("showFolder", c.show_folder),
        ("hideFolder", c.hide_folder),
        ("close", c.close),
        ("searchSaved", w.search.said_saved),
        ("searchRenamed", w.search.said_renamed),
        ("searchRemoved", w.search.said_removed),
    ];
    let mut json = String::from("{");
    for (place, (key, text)) in texts.iter().enumerate() {
        let comma = if place == 0 { "" } else { "," };
        // Writing to a string does not fail; a string serialises always.
        let _ = write!(json, "{comma}\"{key}\":{}", serde_json::to_string(text).unwrap_or_default());
    }
    json.push('}');
    json
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    /// The modules a text names after `before`, as in `from "./act.js"`.
    fn named<'a>(text: &'a str, before: &'a str) -> impl Iterator<Item = &'a str> {
        text.split(before).skip(1).filter_map(|rest| rest.split_once(".js\"")).map(|(name, _)| name)
    }

    /// Everything reachable from `main.js`; with `later` also what is loaded when there is time.
    fn reachable(later: bool) -> BTreeSet<String> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/js/");
        let mut found = BTreeSet::new();
        let mut queue = vec!["main".to_owned()];
        while let Some(name) = queue.pop() {
            let text = std::fs::read_to_string(format!("{folder}{name}.js")).expect("a module");
            let more = named(&text, "from \"./").chain(named(&text, "import(\"./").filter(|_| later));
            queue.extend(more.filter(|one| found.insert((*one).to_owned())).map(str::to_owned));
        }
        found
    }

    #[test]
    fn the_browser_is_told_of_every_module_the_page_needs() {
        assert_eq!(reachable(false), super::MODULES.map(str::to_owned).into());
    }

    #[test]
    fn every_module_of_a_list_is_there_without_a_connection() {
        let worker = include_str!("../../../web/sw.js");
        let list =
            worker.split("SCRIPTS = [").nth(1).and_then(|rest| rest.split(']').next()).expect("a list");
        let kept: BTreeSet<String> =
            list.split(',').map(|name| name.trim().trim_matches('"').to_owned()).collect();
        let mut wanted = reachable(true);
        wanted.insert("main".to_owned());
        assert_eq!(kept, wanted);
    }
}
