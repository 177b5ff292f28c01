//! The learning jobs.

pub(crate) mod frontier;
pub(crate) mod habits;
pub(crate) mod population;
