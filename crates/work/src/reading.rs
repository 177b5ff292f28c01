//! A stored item as plain text, for whoever indexes it or learns from it. Pure.

use domain::Limits;
use search::ItemText;
use store::WholeItem;
use text::Language;

/// Content, or failing that the summary, without HTML.
pub(crate) fn plain(item: &WholeItem, limits: &Limits) -> String {
    let body = &item.content.body;
    let plain = |html: &Option<String>| {
        html.as_deref().map(|html| html::plain_text(html, limits)).unwrap_or_default()
    };
    let content = plain(&body.content);
    if content.trim().is_empty() { plain(&body.summary) } else { content }
}

/// What the item, or failing that its feed, says of its language.
pub(crate) fn declared(item: &WholeItem) -> Option<Language> {
    let said = item.content.body.language.as_deref().and_then(Language::parse);
    said.or_else(|| item.feed_language.as_deref().and_then(Language::parse))
}

/// The item as it is searched; of a language nobody declared the text itself tells.
pub(crate) fn searched(item: WholeItem, limits: &Limits) -> ItemText {
    let text = plain(&item, limits);
    let language = declared(&item).or_else(|| text::detect(&text));
    let (item, body) = (item.content.item, item.content.body);
    ItemText {
        id: item.id,
        feed: item.feed,
        time: item.sort_at,
        title: item.title.unwrap_or_default(),
        text,
        author: item.author.unwrap_or_default(),
        link: item.link.unwrap_or_default(),
        tags: body.tags,
        language: language.map(|language| language.code().to_owned()),
    }
}
