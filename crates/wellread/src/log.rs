//! Logs to standard error, one event a line.
//!
//! Foreign text may end up in an event (an error message of a server, a title). Control characters are escaped on the
//! way out, so that it can neither forge a line nor drive the terminal (O4).

use std::io::{self, Write};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

pub(crate) fn start(filter: &str, json: bool) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(filter)?;
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(Escaped).with_ansi(false);
    let started = if json { builder.json().try_init() } else { builder.with_target(false).try_init() };
    started.map_err(|error| anyhow::anyhow!("starting the log: {error}"))
}

#[derive(Clone, Copy)]
struct Escaped;

impl<'a> MakeWriter<'a> for Escaped {
    type Writer = Escaped;

    fn make_writer(&'a self) -> Escaped {
        Escaped
    }
}

impl Write for Escaped {
    /// Called once per event, with the whole line.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        io::stderr().lock().write_all(&escape(line))?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Everything but the line's own end is printed without control characters, C1 and line separators included.
fn escape(line: &[u8]) -> Vec<u8> {
    let (text, end) = match line.split_last() {
        Some((b'\n', text)) => (text, "\n"),
        _ => (line, ""),
    };
    let mut out = String::with_capacity(line.len() + 8);
    for c in String::from_utf8_lossy(text).chars() {
        if c.is_control()
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out.push_str(end);
    out.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o4_foreign_text_can_neither_forge_a_line_nor_drive_the_terminal() {
        let line = escape("INFO title=x\n2026 ERROR admin logged in \u{1b}[2J \u{9b}1m\u{202e}\n".as_bytes());
        let line = String::from_utf8(line).expect("text");
        assert_eq!(line.matches('\n').count(), 1);
        assert!(line.ends_with('\n') && !line.contains('\u{1b}') && !line.contains('\u{9b}'));
        assert!(line.contains("\\u{1b}[2J"), "{line}");
    }
}
