//! Ordering and explaining items for one reader, and personal aggregates.

pub mod buzz;
