//! Where a sanitised text leads to and loads pictures, sound and films from: listed, replaced or taken out.
//!
//! The input is our own output, in its one spelling (see `verify`): quoted values, `<` and `>` escaped. So a tag ends at
//! the first `>`, and nothing has to be parsed twice. A tag that is not in that spelling is dropped.

use crate::entity::{Form, decode_into, escape_into};

/// What an address is loaded as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MediaKind {
    Image,
    Audio,
    Video,
    /// The still picture of a film.
    Poster,
    /// Subtitles of a film.
    Track,
}

/// Replaces every address a sanitised text loads something from by what `place` makes of it. `None` takes the address
/// out: an image becomes its alternative text, sound and films lose that source.
///
/// `place` is given the address as it is, not escaped; what it returns is escaped here. Whatever it returns, the text
/// stays well-formed; running twice with a `place` that keeps its own results changes nothing.
pub fn rewrite_media(html: &str, place: &mut dyn FnMut(&str, MediaKind) -> Option<String>) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    let mut player = MediaKind::Video;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        let Some((tag, after)) = rest[at + 1..].split_once('>') else { return out };
        rest = after;
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        match name {
            "img" => write_image(&mut out, attributes, place),
            "audio" | "video" | "source" | "track" => {
                player = match name {
                    "audio" => MediaKind::Audio,
                    "video" => MediaKind::Video,
                    _ => player,
                };
                let own = if name == "track" { MediaKind::Track } else { player };
                write_player(&mut out, name, attributes, own, place);
            }
            _ => {
                out.push('<');
                out.push_str(tag);
                out.push('>');
            }
        }
    }
    out.push_str(rest);
    out
}

/// The address of the first picture of a sanitised text.
pub fn first_image(html: &str) -> Option<String> {
    html.split("<img ").skip(1).find_map(|rest| {
        let (tag, _) = rest.split_once('>')?;
        let (_, value) = attributes(tag)?.into_iter().find(|(name, _)| *name == "src")?;
        Some(decoded(value))
    })
}

/// The addresses a sanitised text links to, in order; at most `most`.
pub fn links(html: &str, most: usize) -> Vec<String> {
    let link = |rest: &str| {
        let (tag, _) = rest.split_once('>')?;
        let (_, value) = attributes(tag)?.into_iter().find(|(name, _)| *name == "href")?;
        Some(decoded(value))
    };
    html.split("<a ").skip(1).filter_map(link).take(most).collect()
}

type Place<'a> = &'a mut dyn FnMut(&str, MediaKind) -> Option<String>;

fn write_image(out: &mut String, source: &str, place: Place<'_>) {
    let Some(attributes) = attributes(source) else { return };
    let mut kept = String::from("<img");
    let mut loads = false;
    for (name, value) in &attributes {
        let written = match *name {
            "src" => match place(&decoded(value), MediaKind::Image) {
                Some(address) => {
                    loads = true;
                    Some(escaped(&address))
                }
                // The source decides: without it nothing is shown, whatever the candidates are.
                None => {
                    loads = false;
                    break;
                }
            },
            "srcset" => {
                let candidates = srcset(value, place);
                loads |= candidates.is_some();
                candidates
            }
            _ => Some((*value).to_owned()),
        };
        if let Some(value) = written {
            push_attribute(&mut kept, name, &value);
        }
    }
    if loads {
        out.push_str(&kept);
        out.push('>');
    } else if let Some((_, alternative)) = attributes.iter().find(|(name, _)| *name == "alt") {
        // An escaped value is also an escaped text.
        out.push_str(alternative);
    }
}

fn write_player(out: &mut String, name: &str, source: &str, kind: MediaKind, place: Place<'_>) {
    let Some(attributes) = attributes(source) else { return };
    let mut kept = format!("<{name}");
    let mut loads = false;
    for (attribute, value) in &attributes {
        let written = match *attribute {
            "src" => place(&decoded(value), kind).map(|address| escaped(&address)),
            "poster" => place(&decoded(value), MediaKind::Poster).map(|address| escaped(&address)),
            "srcset" => srcset(value, place),
            _ => Some((*value).to_owned()),
        };
        if let Some(value) = written {
            loads |= matches!(*attribute, "src" | "srcset");
            push_attribute(&mut kept, attribute, &value);
        }
    }
    // A player may still have sources inside; a source without an address is nothing.
    if loads || matches!(name, "audio" | "video") {
        out.push_str(&kept);
        out.push('>');
    }
}

/// Only pictures have candidates: those of an `img`, and the sources of a `picture`.
fn srcset(value: &str, place: Place<'_>) -> Option<String> {
    let value = decoded(value);
    let candidates: Vec<String> = value
        .split(", ")
        .filter_map(|candidate| {
            let (address, descriptor) = match candidate.split_once(' ') {
                Some((address, descriptor)) => (address, Some(descriptor)),
                None => (candidate, None),
            };
            let address = place(address, MediaKind::Image)?;
            // Such an address would be read as two.
            let plain =
                !address.is_empty() && !address.ends_with(',') && !address.contains(char::is_whitespace);
            plain.then(|| descriptor.map_or(address.clone(), |descriptor| format!("{address} {descriptor}")))
        })
        .collect();
    (!candidates.is_empty()).then(|| escaped(&candidates.join(", ")))
}

/// Names and values as they are written; `None` when this is not our spelling.
fn attributes(source: &str) -> Option<Vec<(&str, &str)>> {
    let mut found = Vec::new();
    let mut rest = source;
    while !rest.is_empty() {
        let (name, after) = rest.split_once("=\"")?;
        let (value, after) = after.split_once('"')?;
        if name.is_empty()
            || !name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')
            || value.contains('<')
        {
            return None;
        }
        found.push((name, value));
        rest = match after.strip_prefix(' ') {
            Some(next) => next,
            None if after.is_empty() => after,
            None => return None,
        };
    }
    Some(found)
}

fn decoded(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    decode_into(&mut out, value, Form::Plain, true);
    out
}

fn escaped(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    // Controls never come out of an address of ours; should one, it is no part of the text.
    let clean: String = value.chars().filter(|c| !c.is_control()).collect();
    escape_into(&mut out, &clean, Form::Value);
    out
}

fn push_attribute(out: &mut String, name: &str, value: &str) {
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    out.push_str(value);
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sanitise;
    use domain::Limits;
    use proptest::prelude::*;
    use url::Url;

    fn clean(html: &str) -> String {
        let base = Url::parse("https://site.test/a/").expect("valid");
        sanitise(html, Some(&base), &Limits::default()).html
    }

    fn proxied(html: &str) -> String {
        rewrite_media(&clean(html), &mut |address, kind| {
            Some(match address.strip_prefix("/m/") {
                Some(_) => address.to_owned(),
                None => format!("/m/{kind:?}/{}", address.replace("https://site.test", "")),
            })
        })
    }

    #[test]
    fn every_address_that_loads_something_is_replaced() {
        let html = "<p>a<img src=x.png?a=1&amp;b=2 srcset='y.png 1x, z.png 2x' alt='An &quot;x&quot;'></p>\
                    <audio src=s.mp3></audio><video src=v.mp4 poster=p.jpg><source src=w.webm><track src=t.vtt></video>\
                    <picture><source srcset='q.webp'><img src=q.png></picture><a href=/link>l</a>";
        let out = proxied(html);
        let loaded: Vec<&str> =
            out.split('"').filter(|part| part.contains("site.test") || part.contains("/m/")).collect();
        assert!(loaded.iter().all(|part| part.starts_with("/m/") || part.ends_with("/link")), "{out}");
        for expected in [
            "src=\"/m/Image//a/x.png?a=1&amp;b=2\"",
            "srcset=\"/m/Image//a/y.png 1x, /m/Image//a/z.png 2x\"",
            "/m/Audio//a/s.mp3",
            "/m/Video//a/v.mp4",
            "/m/Poster//a/p.jpg",
            "/m/Video//a/w.webm",
            "srcset=\"/m/Image//a/q.webp\"",
            "<a href=\"https://site.test/link\"",
            "alt=\"An &quot;x&quot;\"",
        ] {
            assert!(out.contains(expected), "{expected} in {out}");
        }
    }

    #[test]
    fn hidden_images_leave_their_alternative_text() {
        let html =
            clean("<p>See <img src=x.png alt='a &lt;b&gt; boat' srcset='y.png 2x'>.</p><img src=z.png>");
        let out = rewrite_media(&html, &mut |_, _| None);
        assert_eq!(out, "<p>See a &lt;b&gt; boat.</p>");
        let players = clean("<video src=v.mp4 poster=p.jpg><source src=w.webm>words</video>");
        let out = rewrite_media(&players, &mut |_, _| None);
        assert!(!out.contains("site.test") && out.contains("words") && out.contains("</video>"), "{out}");
    }

    #[test]
    fn what_the_caller_returns_cannot_break_out() {
        let html = clean("<img src=x.png srcset='y.png 1x'>");
        let out = rewrite_media(&html, &mut |_, _| Some("\"><script>alert(1)</script>\n".to_owned()));
        assert!(!out.contains("<script") && !out.contains('\n'), "{out}");
        assert!(!out.contains("srcset"), "an address with white space is no candidate: {out}");
    }

    #[test]
    fn foreign_spellings_are_dropped_and_nothing_panics() {
        for odd in [
            "<img src='x'>",
            "<img src=x>",
            "<img src=\"x\" onerror>",
            "<img src=\"",
            "<img",
            "a<",
            "<img src=\"a<b\">",
        ] {
            let out = rewrite_media(odd, &mut |_, _| None);
            assert!(!out.contains("<img"), "{odd} -> {out}");
        }
    }

    #[test]
    fn links_are_listed_as_they_lead() {
        let html = clean(
            "<p><a href='/x?a=1&amp;b=2'>one</a> <a name=n>none</a> <a href='https://o.test/'>two</a></p>",
        );
        assert_eq!(links(&html, 9), ["https://site.test/x?a=1&b=2", "https://o.test/"]);
        assert_eq!(links(&html, 1).len(), 1);
    }

    #[test]
    fn the_first_picture_is_found() {
        let html = clean("<p>a</p><img alt=none><img src=x.png?a=1&amp;b=2><img src=y.png>");
        assert_eq!(first_image(&html).as_deref(), Some("https://site.test/a/x.png?a=1&b=2"));
        assert_eq!(first_image("<p>no</p>"), None);
    }

    proptest! {
        #[test]
        fn rewriting_is_total_and_idempotent(html in "(<(img|video|audio|source|p|a)( (src|srcset|alt|href|poster)=['\"]?[a-z ,.<&\"]{0,8}['\"]?){0,3}/?>|</(p|a|video)>|[a-z&;<> ]{0,5}){0,12}") {
            let once = proxied(&html);
            let twice = rewrite_media(&once, &mut |address, _| Some(address.to_owned()));
            prop_assert_eq!(&twice, &once);
            rewrite_media(&html, &mut |address, _| Some(address.to_owned()));
            prop_assert_eq!(rewrite_media(&clean(&html), &mut |address, _| Some(address.to_owned())), clean(&html));
        }
    }
}
