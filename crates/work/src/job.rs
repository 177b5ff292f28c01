//! The learning jobs.

use std::time::Duration;

pub(crate) mod frontier;
pub(crate) mod habits;
pub(crate) mod population;
pub(crate) mod tastes;
pub(crate) mod together;
pub(crate) mod topics;

/// A job over all feeds has longer than one document, but not for ever: the same threads parse.
const CPU_MAX: Duration = Duration::from_secs(60);
