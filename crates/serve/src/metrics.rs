//! `/metrics`: numbers for Prometheus, by an administrator's token only (A9).
//!
//! Requests are counted as they are answered, in fixed tables of atomics: the number of series never depends on what
//! strangers ask for. Everything else is read from the store when the page is asked for.

use crate::App;
use crate::problem::Problem;
use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use std::fmt::{Display, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What kind of work a route is, so that a slow export does not hide among quick lists.
const CLASSES: [&str; 8] = ["list", "item", "change", "media", "asset", "api", "page", "other"];
/// By first digit: 1xx to 5xx.
const STATUSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];
/// Upper ends of the latency buckets, in milliseconds.
const BUCKETS_MS: [u64; 9] = [5, 10, 20, 50, 100, 250, 1_000, 5_000, 30_000];

#[derive(Debug, Default)]
pub(crate) struct Metrics {
    requests: [[AtomicU64; STATUSES.len()]; CLASSES.len()],
    /// Not cumulative; the last is for what took longer still.
    latency: [[AtomicU64; BUCKETS_MS.len() + 1]; CLASSES.len()],
    latency_us: [AtomicU64; CLASSES.len()],
}

impl Metrics {
    /// `route` is a path of the route table, or None for what matched none.
    pub(crate) fn count(&self, route: Option<&str>, is_change: bool, status: u16, took: Duration) {
        let class = class(route, is_change);
        let status = usize::from(status / 100).clamp(1, STATUSES.len()) - 1;
        let took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let bucket = BUCKETS_MS.iter().position(|most| took_ms < *most).unwrap_or(BUCKETS_MS.len());
        if let Some(count) = self.requests.get(class).and_then(|row| row.get(status)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        if let Some(count) = self.latency.get(class).and_then(|row| row.get(bucket)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        if let Some(sum) = self.latency_us.get(class) {
            sum.fetch_add(u64::try_from(took.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
        }
    }
}

/// Places in [`CLASSES`].
fn class(route: Option<&str>, is_change: bool) -> usize {
    const LISTS: [&str; 8] = [
        "/newest",
        "/unread",
        "/starred",
        "/hidden",
        "/folder/{id}",
        "/feed/{id}",
        "/tag/{tag}",
        "/part/rows",
    ];
    let Some(route) = route else { return 7 };
    let is = |end: &str| route.ends_with(end);
    if LISTS.iter().any(|list| is(list)) && !is_change {
        0
    } else if route.contains("/part/item/") {
        1
    } else if route.contains("/api/") {
        5
    } else if is_change {
        2
    } else if route.contains("/media/") || route.contains("/icon/") {
        3
    } else if route.contains("/assets/") || is("/sw.js") || is("/favicon.svg") || is("/manifest.webmanifest")
    {
        4
    } else if is("/metrics") || is("/healthz") || is("/readyz") || is("/events") {
        5
    } else {
        6
    }
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    Extension(metrics): Extension<Arc<Metrics>>,
) -> Result<Response, Problem> {
    let mut text = Text::default();
    let now = (app.clock)();
    let overview = app.store.server_overview(now).await?;
    text.gauge("wellread_users", "Accounts.", overview.users);
    text.gauge("wellread_feeds", "Feeds that somebody follows.", overview.feeds);
    text.gauge("wellread_feeds_failing", "Followed feeds whose last poll failed.", overview.failing);
    text.gauge("wellread_items", "Items kept.", overview.items);
    text.gauge("wellread_items_bytes", "Packed texts of items.", overview.bytes);
    text.gauge("wellread_database_bytes", "Size of the database.", app.store.database_bytes().await?);
    text.gauge("wellread_polls_day", "Polls of the last 24 hours, by all nodes.", overview.polls_today);
    text.gauge("wellread_items_new_day", "New items of the last 24 hours.", overview.new_today);
    text.gauge("wellread_feeds_overdue", "Feeds that wait to be polled.", app.store.overdue(now).await?);
    let due = app.store.next_due_at(now).await?;
    let late = due.map_or(Duration::ZERO, |at| now.since(at));
    text.gauge("wellread_poll_lateness_seconds", "How long the most overdue feed waits.", late.as_secs_f64());
    text.gauge(
        "wellread_halted",
        "1 while an administrator has stopped all fetching.",
        u8::from(app.store.halted().await?),
    );
    let tally = app.errands.tally();
    text.counter("wellread_polls_total", "Polls by this process.", tally.polls);
    text.counter("wellread_poll_failures_total", "Failed polls by this process.", tally.failures);
    text.counter("wellread_items_new_total", "New items found by this process.", tally.items_new);
    text.counter(
        "wellread_fetched_bytes_total",
        "Bytes read from publishers by this process.",
        tally.wire_bytes,
    );
    text.info(&app.version);
    metrics.write(&mut text);
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    Ok(([(header::CONTENT_TYPE, kind)], text.0).into_response())
}

impl Metrics {
    fn write(&self, text: &mut Text) {
        text.head("wellread_requests_total", "Requests answered, by kind of route and status.", "counter");
        for (class, row) in CLASSES.iter().zip(&self.requests) {
            for (status, count) in STATUSES.iter().zip(row) {
                let count = count.load(Ordering::Relaxed);
                if count > 0 {
                    text.line("wellread_requests_total", &[("class", class), ("status", status)], count);
                }
            }
        }
        let name = "wellread_request_seconds";
        text.head(name, "Time to answer, by kind of route.", "histogram");
        for ((class, row), sum_us) in CLASSES.iter().zip(&self.latency).zip(&self.latency_us) {
            let mut below = 0_u64;
            for (most, count) in BUCKETS_MS.iter().zip(row) {
                below = below.saturating_add(count.load(Ordering::Relaxed));
                let most = (*most as f64 / 1_000.0).to_string();
                text.line(&format!("{name}_bucket"), &[("class", class), ("le", &most)], below);
            }
            let all = below.saturating_add(row.last().map_or(0, |count| count.load(Ordering::Relaxed)));
            text.line(&format!("{name}_bucket"), &[("class", class), ("le", "+Inf")], all);
            let seconds = sum_us.load(Ordering::Relaxed) as f64 / 1e6;
            text.line(&format!("{name}_sum"), &[("class", class)], seconds);
            text.line(&format!("{name}_count"), &[("class", class)], all);
        }
    }
}

/// The exposition format, version 0.0.4.
#[derive(Default)]
struct Text(String);

impl Text {
    fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.head(name, help, "gauge");
        self.line(name, &[], value);
    }

    fn counter(&mut self, name: &str, help: &str, value: impl Display) {
        self.head(name, help, "counter");
        self.line(name, &[], value);
    }

    fn info(&mut self, version: &str) {
        self.head("wellread_build_info", "The version that runs.", "gauge");
        self.line("wellread_build_info", &[("version", version)], 1);
    }

    fn head(&mut self, name: &str, help: &str, kind: &str) {
        // Writing to a string does not fail.
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn line(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.0.push_str(name);
        for (place, (label, text)) in labels.iter().enumerate() {
            let open = if place == 0 { '{' } else { ',' };
            // Writing to a string does not fail.
            let _ = write!(self.0, "{open}{label}=\"{}\"", escaped(text));
        }
        if !labels.is_empty() {
            self.0.push('}');
        }
        let _ = writeln!(self.0, " {value}");
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(metrics: &Metrics) -> String {
        let mut text = Text::default();
        metrics.write(&mut text);
        text.0
    }

    #[test]
    fn requests_are_counted_by_kind_and_status_and_buckets_add_up() {
        let metrics = Metrics::default();
        metrics.count(Some("/reader/newest"), false, 200, Duration::from_millis(7));
        metrics.count(Some("/newest"), false, 200, Duration::from_millis(40_000));
        metrics.count(Some("/mark"), true, 303, Duration::from_millis(1));
        metrics.count(None, false, 404, Duration::ZERO);
        metrics.count(Some("/settings"), false, 999, Duration::ZERO);
        let text = written(&metrics);
        for line in [
            "wellread_requests_total{class=\"list\",status=\"2xx\"} 2",
            "wellread_requests_total{class=\"change\",status=\"3xx\"} 1",
            "wellread_requests_total{class=\"other\",status=\"4xx\"} 1",
            "wellread_request_seconds_bucket{class=\"list\",le=\"0.005\"} 0",
            "wellread_request_seconds_bucket{class=\"list\",le=\"0.01\"} 1",
            "wellread_request_seconds_bucket{class=\"list\",le=\"+Inf\"} 2",
            "wellread_request_seconds_count{class=\"list\"} 2",
        ] {
            assert!(text.contains(&format!("{line}\n")), "{line}\n{text}");
        }
    }

    #[test]
    fn a_label_cannot_break_out_of_its_line() {
        let mut text = Text::default();
        text.info("1\"} 5\nevil{x=\"\\");
        assert_eq!(text.0.lines().count(), 3, "{}", text.0);
        assert!(text.0.ends_with("{version=\"1\\\"} 5\\nevil{x=\\\"\\\\\"} 1\n"), "{}", text.0);
    }
}
