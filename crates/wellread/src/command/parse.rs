//! `wellread parse`: what Wellread sees in a document, as JSON. Exit 0 with a document, 1 when it is no feed, 2 when
//! there is nothing to read.

use crate::End;
use crate::cli::ParseArgs;
use crate::command::read_named;
use domain::Limits;

pub(crate) fn run(args: &ParseArgs) -> anyhow::Result<End> {
    let limits = Limits::default();
    let bytes_max = usize::try_from(limits.body_bytes_max)?;
    let Some(bytes) = read_named(&args.file, bytes_max, "larger documents are not fetched either")? else {
        return Ok(End::WrongCall);
    };
    let input = parse::Input {
        bytes: &bytes,
        content_type: args.content_type.as_deref(),
        base: args.base.as_ref(),
        complete: true,
    };
    match parse::parse(&input, &limits) {
        Ok(parsed) => {
            say!("{}", parse::to_json_text(&parsed));
            Ok(End::Done)
        }
        Err(no_feed) => {
            eprintln!("wellread: {no_feed}");
            Ok(End::Failed)
        }
    }
}
