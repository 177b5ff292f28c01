//! `wellread parse`: what Wellread sees in a document, as JSON. Exit 0 with a document, 1 when it is no feed.

use crate::End;
use crate::cli::ParseArgs;
use crate::command::read_input;
use domain::Limits;
use std::io::Write;

pub(crate) fn run(args: &ParseArgs) -> anyhow::Result<End> {
    let limits = Limits::default();
    let bytes_max = usize::try_from(limits.body_bytes_max)?;
    let bytes = read_input(&args.file, bytes_max, "larger documents are not fetched either")?;
    let input = parse::Input {
        bytes: &bytes,
        content_type: args.content_type.as_deref(),
        base: args.base.as_ref(),
        complete: true,
    };
    match parse::parse(&input, &limits) {
        Ok(parsed) => {
            writeln!(std::io::stdout().lock(), "{}", parse::to_json_text(&parsed))?;
            Ok(End::Done)
        }
        Err(no_feed) => {
            eprintln!("wellread: {no_feed}");
            Ok(End::Failed)
        }
    }
}
