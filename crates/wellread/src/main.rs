//! The binary: configuration, wiring, roles, command line. No logic of its own.

/// A line on standard output. Its reader may go away early (`| head`), so a failure is returned; see [`main`].
macro_rules! say {
    ($($text:tt)*) => { std::io::Write::write_fmt(&mut std::io::stdout().lock(), format_args!("{}\n", format_args!($($text)*)))? };
}

mod cli;
mod command;
mod errands;
mod log;
mod settings;

use clap::Parser;
use cli::{Cli, Command};
use settings::Settings;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How a command ended; the numbers are part of the contract. A wrong call exits with 2, by clap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Done,
    /// Said why on standard error.
    Failed,
    /// Inside a floor.
    NotNow,
    /// What was named is not there to be read; said so on standard error.
    WrongCall,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(cli) {
        Ok(End::Done) => ExitCode::SUCCESS,
        Ok(End::Failed) => ExitCode::FAILURE,
        Ok(End::NotNow) => ExitCode::from(3),
        Ok(End::WrongCall) => ExitCode::from(2),
        // Whoever was reading has read enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("wellread: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref().is_some_and(|error: &std::io::Error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

fn run(cli: Cli) -> anyhow::Result<End> {
    let command = cli.command.unwrap_or_else(|| Command::Serve(Default::default()));
    // These need no settings and no runtime, so a broken settings file does not stand in their way.
    match command {
        Command::Parse(args) => return command::parse::run(&args),
        Command::Plan(args) => return command::plan::run(&args),
        Command::Farm(args) => return runtime()?.block_on(command::lab::farm(&args)),
        Command::Lab(lab) => return runtime()?.block_on(command::lab::run(*lab)),
        Command::Demo(args) => {
            let (settings, _folder) = command::demo::settings(cli.wishes)?;
            log::start(&settings.log, settings.log_json)?;
            return runtime()?.block_on(command::demo::run(&settings, &args));
        }
        _ => {}
    }
    let settings = Settings::read(cli.wishes)?;
    if matches!(command, Command::CheckConfig) {
        say!("{}", settings.masked().trim_end());
        return Ok(End::Done);
    }
    log::start(&settings.log, settings.log_json)?;
    runtime()?.block_on(async {
        match command {
            Command::Serve(args) => command::serve::run(&settings, &args).await,
            Command::User(user) => command::user::run(&settings, user).await,
            Command::Add(args) => command::feeds::add(&settings, &args).await,
            Command::Import(args) => command::feeds::import(&settings, &args).await,
            Command::Export(args) => command::feeds::export(&settings, &args).await,
            Command::Poll(args) => command::poll::run(&settings, &args).await,
            Command::Doctor => command::doctor::run(&settings).await,
            Command::Backup { file } => command::keep::backup(&settings, &file).await,
            Command::Restore { file } => command::keep::restore(&settings, &file).await,
            Command::Migrate => command::keep::migrate(&settings).await,
            Command::Demo(_)
            | Command::Parse(_)
            | Command::Plan(_)
            | Command::Farm(_)
            | Command::Lab(_)
            | Command::CheckConfig => Ok(End::Done),
        }
    })
}

fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread().enable_all().build()?)
}
