//! Interfaces for scripts: JSON in and out, by a person's token or their session, errors as sentences.
//!
//! docs/api.md is the contract.

pub(crate) mod buzz;
pub(crate) mod channels;
pub(crate) mod foryou;
