//! Items made ready for the writer: text freed of NUL bytes and cut to bounds, bodies compressed.
//!
//! Pure and CPU-bound; it runs where the caller is, so that the writer only writes.

use crate::error::{Result, StoreError};
use domain::{DocumentItem, Identity, ItemBody, Preview, Timestamp};
use std::borrow::Cow;
use std::cell::RefCell;

/// First byte of a stored body: how the rest is written.
const PLAIN: u8 = 0;
const ZSTD: u8 = 1;
/// Below this, compression costs more than it saves.
const PLAIN_BYTES_MAX: usize = 96;
/// Summary and content of 1 MiB each, tags and enclosures, written as JSON with every byte escaped.
const BODY_BYTES_MAX: usize = 32 << 20;
/// Level 3 halves feed HTML at some 100 MB/s; higher levels gain a few per cent for much more time.
const LEVEL: i32 = 3;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PackedItem {
    pub(crate) identity: Identity,
    pub(crate) twin: Option<Identity>,
    pub(crate) title: Option<String>,
    pub(crate) link: Option<String>,
    pub(crate) author: Option<String>,
    pub(crate) published_at: Option<Timestamp>,
    pub(crate) content_hash: i64,
    pub(crate) preview: Preview,
    pub(crate) body: Vec<u8>,
}

impl PackedItem {
    pub(crate) fn new(item: &DocumentItem, preview: Preview) -> Self {
        let body = ItemBody {
            summary: item.summary.clone(),
            content: item.content.clone(),
            language: item.language.clone(),
            tags: item.tags.clone(),
            enclosures: item.enclosures.clone(),
        };
        PackedItem {
            identity: item.identity,
            twin: item.twin,
            title: item.title.as_deref().map(clean_owned),
            link: item.link.as_deref().map(clean_owned),
            author: item.author.as_deref().map(clean_owned),
            published_at: item.published,
            content_hash: hash_to_column(item.content_hash),
            preview: Preview {
                excerpt: preview.excerpt.as_deref().map(clean_owned),
                picture: preview.picture.as_deref().map(clean_owned),
                ..preview
            },
            body: pack(&body),
        }
    }
}

/// PostgreSQL text cannot hold NUL, and no reader misses it.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', "")) } else { Cow::Borrowed(text) }
}

fn clean_owned(text: &str) -> String {
    clean(text).into_owned()
}

/// Databases have no unsigned 64-bit integers; the bits are kept.
pub(crate) fn hash_to_column(hash: u64) -> i64 {
    i64::from_ne_bytes(hash.to_ne_bytes())
}

/// A plain value as compressed JSON.
pub(crate) fn pack<T: serde::Serialize>(value: &T) -> Vec<u8> {
    thread_local! {
        static COMPRESSOR: RefCell<Option<zstd::bulk::Compressor<'static>>> =
            RefCell::new(zstd::bulk::Compressor::new(LEVEL).ok());
    }
    // A struct of strings and numbers always serialises.
    let json = serde_json::to_vec(value).unwrap_or_default();
    if json.len() > PLAIN_BYTES_MAX {
        let compressed = COMPRESSOR.with_borrow_mut(|c| c.as_mut().and_then(|c| c.compress(&json).ok()));
        if let Some(compressed) = compressed.filter(|c| c.len() < json.len()) {
            return tagged(ZSTD, &compressed);
        }
    }
    tagged(PLAIN, &json)
}

pub(crate) fn unpack<T: serde::de::DeserializeOwned>(stored: &[u8]) -> Result<T> {
    let damaged = |what: &str| StoreError::Damaged { what: format!("an item's body {what}") };
    let json = match stored.split_first() {
        Some((&PLAIN, json)) => Cow::Borrowed(json),
        Some((&ZSTD, compressed)) => Cow::Owned(
            zstd::bulk::decompress(compressed, BODY_BYTES_MAX).map_err(|_| damaged("does not decompress"))?,
        ),
        _ => return Err(damaged("has an unknown kind")),
    };
    serde_json::from_slice(&json).map_err(|_| damaged("is not what was written"))
}

fn tagged(tag: u8, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + 1);
    out.push(tag);
    out.extend_from_slice(bytes);
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_body_reads_back_as_it_was_written(content in ".{0,400}", tags in proptest::collection::vec(".{0,9}", 0..4)) {
            let body = ItemBody { content: Some(content), tags, ..ItemBody::default() };
            prop_assert_eq!(unpack::<ItemBody>(&pack(&body)).unwrap(), body);
        }

        #[test]
        fn foreign_bytes_are_refused_not_crashed_on(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = unpack::<ItemBody>(&bytes);
        }
    }

    #[test]
    fn repetitive_html_is_stored_small() {
        let body = ItemBody { content: Some("<p>the same words</p>".repeat(200)), ..ItemBody::default() };
        assert!(pack(&body).len() < 200);
    }
}
