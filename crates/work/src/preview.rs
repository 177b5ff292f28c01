//! What a list shows of an item, and the text that rules read. Pure; run on the CPU pool.

use domain::{DocumentItem, Limits, Preview};

/// An item with its plain text.
pub(crate) struct Digest {
    pub(crate) preview: Preview,
    /// The whole text: content, or failing that the summary.
    pub(crate) text: String,
}

pub(crate) fn digest(item: &DocumentItem, limits: &Limits) -> Digest {
    let plain = |html: &Option<String>| {
        html.as_deref().map(|html| html::plain_text(html, limits)).unwrap_or_default()
    };
    let (summary, content) = (plain(&item.summary), plain(&item.content));
    let excerpt = excerpt(if summary.trim().is_empty() { &content } else { &summary });
    let text = if content.trim().is_empty() { summary } else { content };
    let preview = Preview {
        excerpt: Some(excerpt).filter(|excerpt| !excerpt.is_empty()),
        picture: picture(item),
        words: words(&text),
        playable: item
            .enclosures
            .iter()
            .any(|enclosure| is_of(enclosure.media_type.as_deref(), &["audio/", "video/"])),
    };
    Digest { preview, text }
}

/// One line, cut between words where there are any.
fn excerpt(text: &str) -> String {
    const CHARS_MAX: usize = Preview::EXCERPT_CHARS_MAX;
    let mut out = String::new();
    let mut chars = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        let gap = usize::from(chars > 0);
        if chars + gap + length > CHARS_MAX - 1 {
            if chars < CHARS_MAX / 2 {
                // One very long word, or a script without spaces.
                let room = CHARS_MAX - 1 - chars - gap;
                out.push_str(&" "[..gap]);
                out.extend(word.chars().take(room));
            }
            out.push('…');
            return out;
        }
        out.push_str(&" "[..gap]);
        out.push_str(word);
        chars += gap + length;
    }
    out
}

/// The first picture of the body, or the first enclosed one.
fn picture(item: &DocumentItem) -> Option<String> {
    let in_body =
        [&item.content, &item.summary].into_iter().flatten().find_map(|html| html::first_image(html));
    in_body.or_else(|| {
        let images = item.enclosures.iter().filter(|one| is_of(one.media_type.as_deref(), &["image/"]));
        images.map(|image| image.url.clone()).next()
    })
}

fn is_of(media_type: Option<&str>, classes: &[&str]) -> bool {
    media_type.is_some_and(|name| {
        let name = name.trim_start();
        classes
            .iter()
            .any(|class| name.get(..class.len()).is_some_and(|start| start.eq_ignore_ascii_case(class)))
    })
}

/// Words for the reading time; where words are not spaced, two characters count as one.
fn words(text: &str) -> u32 {
    let unspaced =
        text.chars().filter(|c| matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{3040}'..='\u{9fff}')).count();
    let spaced = text.split_whitespace().count();
    u32::try_from(if unspaced > spaced * 4 { unspaced / 2 } else { spaced }).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{Enclosure, Identity};

    fn item(summary: &str, content: &str) -> DocumentItem {
        DocumentItem {
            identity: Identity(1),
            twin: None,
            guid: None,
            title: None,
            link: None,
            author: None,
            published: None,
            updated: None,
            summary: Some(summary.to_owned()).filter(|text| !text.is_empty()),
            content: Some(content.to_owned()).filter(|text| !text.is_empty()),
            language: None,
            tags: vec![],
            enclosures: vec![],
            content_hash: 0,
        }
    }

    #[test]
    fn a_preview_shows_the_summary_and_counts_the_whole_text() {
        let body = "<p>One two</p><p>three <img src=\"https://s.test/x.png?a&amp;b\" alt=\"y\"> four</p>";
        let digest = digest(&item("<p>Short &amp;\n sweet</p>", body), &Limits::default());
        assert_eq!(digest.preview.excerpt.as_deref(), Some("Short & sweet"));
        assert_eq!(digest.preview.picture.as_deref(), Some("https://s.test/x.png?a&b"));
        assert!(digest.preview.words >= 4 && digest.text.contains("three"));
        assert!(!digest.preview.playable);
    }

    #[test]
    fn without_a_summary_the_content_is_shown_and_without_both_nothing() {
        let digest_of = |summary, content| digest(&item(summary, content), &Limits::default()).preview;
        assert_eq!(digest_of("", "<p>Words</p>").excerpt.as_deref(), Some("Words"));
        assert_eq!(digest_of("<p> </p>", "<p>Words</p>").excerpt.as_deref(), Some("Words"));
        assert_eq!(digest_of("", ""), Preview::default());
    }

    #[test]
    fn an_excerpt_is_never_longer_than_it_may_be() {
        for text in ["word ".repeat(100), "x".repeat(500), format!("a {}", "長".repeat(400)), "é".repeat(200)]
        {
            let excerpt = excerpt(&text);
            assert!(excerpt.chars().count() <= Preview::EXCERPT_CHARS_MAX, "{excerpt}");
            assert!(excerpt.ends_with('…') && excerpt.chars().count() > 90, "{excerpt}");
        }
        assert_eq!(excerpt(&"x".repeat(199)).chars().count(), 199, "just fits");
    }

    #[test]
    fn enclosures_give_a_picture_and_something_to_play() {
        let enclosure = |kind: &str| Enclosure {
            url: format!("https://s.test/{kind}"),
            media_type: Some(kind.to_owned()),
            bytes: None,
            seconds: None,
        };
        let mut episode = item("", "");
        episode.enclosures = vec![enclosure("Audio/mpeg"), enclosure("image/png")];
        let preview = digest(&episode, &Limits::default()).preview;
        assert!(preview.playable);
        assert_eq!(preview.picture.as_deref(), Some("https://s.test/image/png"));
    }

    #[test]
    fn words_without_spaces_are_counted_by_their_characters() {
        assert_eq!(words("one two three"), 3);
        assert_eq!(words(&"漢字".repeat(50)), 50);
    }
}
