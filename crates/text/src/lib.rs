//! Words: what texts are made of, for everything that learns from them.
//!
//! One stream of [`Tokens`] serves index, profiles, near-duplicates and topics. From it come the [`Terms`] of an item
//! (stems and lexical affinities), their weights by how many items have them ([`Frequencies`]), and a [`Fingerprint`]
//! by which the same story is known again in another feed ([`Stories`]). Texts are strangers': every size is bounded
//! here, nothing panics on them, and what a language is not known for is left undone.
//!
//! Left out: HTML (`html` makes plain text of it), storage (states are bytes, see [`packed`]), clocks.

mod boilerplate;
mod fingerprint;
mod frequency;
mod language;
mod link;
pub mod packed;
mod stops;
mod stories;
mod terms;
mod tokens;

pub use boilerplate::{BOILERPLATE_ITEMS, Boilerplate};
pub use fingerprint::{BANDS, Fingerprint, SAME_TEXT, SHINGLE_WORDS, SHINGLES_MAX};
pub use frequency::{DocumentFrequencies, FREQUENCIES_MAX, Frequencies, HALF_LIFE_DAYS, Idf};
pub use language::{Language, LanguageVotes, detect};
pub use link::{canonical_link, leads_to_an_article};
pub use stops::is_stop_word;
pub use stories::{Match, STORY_DAYS, Sighting, Stories, Why};
pub use terms::{AFFINITY_DISTANCE, Affinity, Bag, PAIRS_MAX, Stemmer, TermId, Terms, WORDS_MAX, Word};
pub use tokens::{FIGURES_MAX, Kind, TEXT_BYTES_MAX, TOKENS_MAX, Token, Tokens};
