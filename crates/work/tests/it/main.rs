//! Tests of the loop: in virtual time from a seed, and over real sockets against the farm.
#![allow(clippy::unwrap_used, reason = "tests")]

mod buzz;
mod clock;
mod delta;
mod digest;
mod disk;
mod farm_run;
mod index;
mod kill;
mod planning;
mod postgres;
mod promises;
mod restarts;
mod shelf;
mod side;
mod simulator;
mod web;
