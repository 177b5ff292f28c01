//! The indexes of a site under test, filled as the job that follows items does it.

use crate::site::Site;
use domain::{FeedId, ItemId, Limits};
use search::{ChannelText, Index, ItemText, Opened, Writer};
use store::{Learned, StoryItem, StoryTie};
use tempfile::TempDir;

pub(crate) struct Shelf {
    _folder: TempDir,
    items: (Index, Writer),
    channels: (Index, Writer),
}

impl Shelf {
    /// An index of everything the store has, put where pages look for it.
    pub(crate) async fn of(site: &Site) -> Shelf {
        let mut shelf = Shelf::empty(site);
        shelf.follow(site).await;
        shelf.items.1.caught_up().unwrap();
        shelf
    }

    /// One that has only begun to be built, of so many items.
    pub(crate) fn empty(site: &Site) -> Shelf {
        let folder = tempfile::tempdir().unwrap();
        let open = |name: &str| {
            let Opened { index, writer, .. } = Index::open(&folder.path().join(name)).unwrap();
            (index, writer)
        };
        let (items, channels) = (open("items"), open("channels"));
        site.finder.fill(Some(items.0.clone()), Some(channels.0.clone()), None);
        Shelf { _folder: folder, items, channels }
    }

    pub(crate) fn rebuild(&mut self, of: u64) {
        self.items.1.rebuild(of).unwrap();
    }

    pub(crate) async fn follow(&mut self, site: &Site) {
        let after = self.items.1.after().unwrap_or(ItemId(0));
        let page = site.store.items_after(after, 2_000).await.unwrap();
        let texts: Vec<ItemText> = page
            .items
            .into_iter()
            .map(|whole| {
                let (item, body) = (whole.content.item, whole.content.body);
                ItemText {
                    id: item.id,
                    feed: item.feed,
                    time: item.sort_at,
                    title: item.title.unwrap_or_default(),
                    text: html::plain_text(&body.content.unwrap_or_default(), &Limits::default()),
                    author: item.author.unwrap_or_default(),
                    link: item.link.unwrap_or_default(),
                    tags: body.tags,
                    language: None,
                }
            })
            .collect();
        self.items.1.follow(&texts).unwrap();
        self.items.1.commit().unwrap();
    }

    pub(crate) fn channel(&mut self, site: &Site, feed: FeedId, title: &str, terms: &[&str]) {
        let text = ChannelText {
            feed,
            title: title.to_owned(),
            description: String::new(),
            terms: terms.iter().map(|term| (*term).to_owned()).collect(),
            link: String::new(),
            language: None,
            time: site.now(),
        };
        self.channels.1.put(&text.into()).unwrap();
        self.channels.1.commit().unwrap();
    }
}

/// Says that these items tell one story.
pub(crate) async fn one_story(site: &Site, items: &[ItemId]) {
    let from = site.store.learned_to().await.unwrap();
    let story = *items.iter().min().unwrap();
    let tie = |item: &ItemId| StoryItem { item: *item, story, why: StoryTie::Text };
    let learned = Learned {
        from,
        to: site.store.newest_item().await.unwrap().max(from),
        profiles: vec![],
        stories: items.iter().map(tie).collect(),
        terms: Vec::new(),
        model: None,
    };
    assert!(site.store.keep_learned(learned).await.unwrap());
}
