//! The only door out: guarded, polite HTTP
