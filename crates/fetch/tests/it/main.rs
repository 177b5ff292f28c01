//! The fetcher against servers on loopback.
