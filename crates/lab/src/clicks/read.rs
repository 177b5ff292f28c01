//! Lines of CSV and NDJSON into rows.

use crate::trace::{each_line, fields};
use anyhow::{Result, ensure};
use std::path::Path;

/// More would not fit anywhere.
const ROWS_MAX: usize = 50_000_000;

/// A CSV by the names of its header; without a header the columns are those named, in this order. Missing columns are
/// empty. How many lines were skipped.
pub(crate) fn columns<const N: usize>(
    path: &Path,
    names: [&str; N],
    mut take: impl FnMut([&str; N]) -> Result<(), &'static str>,
) -> Result<usize> {
    let mut places: [Option<usize>; N] = std::array::from_fn(Some);
    let mut count = 0;
    let skipped = each_line(path, |line| {
        let found = fields(line);
        count += 1;
        if count == 1 && found.iter().any(|field| field == names[0]) {
            places = names.map(|name| found.iter().position(|field| field == name));
            return Ok(());
        }
        take(places.map(|place| place.and_then(|place| found.get(place)).map_or("", |field| field.as_ref())))
    })?;
    ensure!(count <= ROWS_MAX, "{} has more than {ROWS_MAX} lines", path.display());
    Ok(skipped.map_or(0, |skipped| skipped.lines))
}

/// NDJSON, one value a line. How many lines were skipped.
pub(crate) fn objects<T: serde::de::DeserializeOwned>(
    path: &Path,
    mut take: impl FnMut(T) -> Result<(), &'static str>,
) -> Result<usize> {
    let mut count = 0;
    let skipped = each_line(path, |line| {
        count += 1;
        take(serde_json::from_str(line).map_err(|_| "not what is expected")?)
    })?;
    ensure!(count <= ROWS_MAX, "{} has more than {ROWS_MAX} lines", path.display());
    Ok(skipped.map_or(0, |skipped| skipped.lines))
}

/// Names as numbers, in the order they come.
#[derive(Debug, Default)]
pub(crate) struct Names {
    numbers: std::collections::HashMap<String, usize>,
}

impl Names {
    pub(crate) fn number(&mut self, name: &str) -> usize {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.numbers.len();
        self.numbers.insert(name.to_owned(), number);
        number
    }

    pub(crate) fn known(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }
}
