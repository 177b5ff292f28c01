//! Everything that any test of this binary logs, at every level.
//!
//! One subscriber for the whole process, set before the first request: a subscriber of one test's thread would miss
//! lines, because `tracing` remembers per call site whether anybody listened when it was first passed.

use std::io;
use std::sync::{LazyLock, Mutex};

static LOG: LazyLock<Mutex<Vec<u8>>> = LazyLock::new(|| {
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(|| Writer)
        .finish();
    tracing::subscriber::set_global_default(subscriber).unwrap();
    Mutex::default()
});

pub(crate) fn keep() {
    LazyLock::force(&LOG);
}

pub(crate) fn logged() -> String {
    String::from_utf8(LOG.lock().unwrap().clone()).unwrap()
}

struct Writer;

impl io::Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LOG.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
