//! The command line: a contract that scripts depend on (design §5). What each command does is in its own file.

pub(crate) mod lab;

use crate::settings::Wishes;
use clap::{Args, Parser, Subcommand};
pub(crate) use lab::LabCommand;
use std::path::PathBuf;

/// A feed reader that learns when sources publish and when you read.
///
/// `wellread` alone means `wellread serve`: it starts the reader at 127.0.0.1:7323 with everything in one folder, and
/// prints a link to set up the first account.
#[derive(Debug, Parser)]
#[command(name = "wellread", version, max_term_width = 110, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) wishes: Wishes,
}

const EXAMPLES: &str = "Examples:
  wellread                                     start, then open the link it prints
  wellread demo                                look around first, without internet
  wellread user add mira --admin               make an account (asks for a password)
  wellread import feeds.opml --user mira       bring subscriptions from another reader
  wellread add https://example.org --user mira follow a page or a feed
  wellread poll --once                         poll what is due now
  wellread parse feed.xml                      show what Wellread sees in a document
  wellread backup wellread.backup              everything in one file, while the server runs

Exit codes: 0 done, 1 failed, 2 wrong call, 3 not now (a floor protects the publisher).";

const USER_EXAMPLES: &str = "Examples:
  wellread user add mira --admin               make an account (asks for a password)
  wellread user token mira --label phone       let an app in

Exit codes: 0 done, 1 failed (a name that is taken, a password that is too short), 2 wrong call.";

const IMPORT_EXAMPLES: &str = "Examples:
  wellread import feeds.opml --user mira       bring subscriptions from another reader
  wellread export --user noor | wellread import - --user mira

Exit codes: 0 done, 1 failed (no such account, no OPML), 2 wrong call or a file that cannot be read.";

const POLL_EXAMPLES: &str = "Examples:
  wellread poll --once                         poll what is due now, then end
  wellread poll --feed https://example.org/feed.xml

Exit codes: 0 done, 1 failed, 2 wrong call, 3 not now (a floor protects the publisher).";

const PARSE_EXAMPLES: &str = "Examples:
  wellread parse feed.xml
  curl -s https://example.org/feed.xml | wellread parse - --base https://example.org/feed.xml

Exit codes: 0 a feed, 1 no feed, 2 wrong call or a file that cannot be read.";

const BACKUP_EXAMPLES: &str = "Examples:
  wellread backup wellread.backup              keep secret.key too, in another place

Exit codes: 0 done, 1 failed (the file is there already, or cannot be written), 2 wrong call.";

const RESTORE_EXAMPLES: &str = "Examples:
  wellread restore wellread.backup --data-dir new-folder

Exit codes: 0 done, 1 refused and nothing changed (a damaged file, a database in use), 2 wrong call.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start the reader (the default)
    Serve(ServeArgs),
    /// See everything on a simulated web, with months of history and two people; no internet needed
    Demo(DemoArgs),
    /// Add and list people, make tokens for apps
    #[command(subcommand, after_help = USER_EXAMPLES)]
    User(UserCommand),
    /// Follow a feed, or the feed of a page
    Add(AddArgs),
    /// Bring subscriptions from an OPML file
    #[command(after_help = IMPORT_EXAMPLES)]
    Import(ImportArgs),
    /// Print one person's subscriptions as OPML
    Export(PersonArgs),
    /// Poll now and print what happened
    #[command(after_help = POLL_EXAMPLES)]
    Poll(PollArgs),
    /// Print the normalised form of a feed document as JSON
    #[command(after_help = PARSE_EXAMPLES)]
    Parse(ParseArgs),
    /// Place polls where they matter: the best times for given rates
    Plan(PlanArgs),
    /// Look for what is wrong with this installation
    Doctor,
    /// Print the settings in force, without secrets
    CheckConfig,
    /// Write everything into one portable file, while the server runs
    #[command(after_help = BACKUP_EXAMPLES)]
    Backup {
        /// The file to write; it must not exist
        file: PathBuf,
    },
    /// Fill an empty database from a backup of either database
    #[command(after_help = RESTORE_EXAMPLES)]
    Restore {
        /// A file made by `wellread backup`
        file: PathBuf,
    },
    /// Bring the database up to date (the server does this by itself)
    Migrate,
    /// Experiments and benchmarks
    #[command(subcommand)]
    Lab(Box<LabCommand>),
    /// The simulated web, as its own process, for `lab refresh`
    #[command(hide = true)]
    Farm(FarmArgs),
}

#[derive(Debug, Default, Args)]
pub(crate) struct ServeArgs {
    /// Open the reader in the browser
    #[arg(long)]
    pub(crate) open: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Feeds of the simulated web
    #[arg(long, default_value_t = 300)]
    pub(crate) feeds: usize,
    /// Days of history; the last 7 are there when the page opens, the others follow
    #[arg(long, default_value_t = 90)]
    pub(crate) days: u32,
    /// How many times as fast as yours the demo's time runs
    #[arg(long, default_value_t = 10.0)]
    pub(crate) speed: f64,
    /// Open the demo in the browser
    #[arg(long)]
    pub(crate) open: bool,
    /// Another world
    #[arg(long, default_value_t = 1, hide = true)]
    pub(crate) seed: u64,
    /// The demo's time when it opens, in Unix seconds, for pictures that can be taken again [default: now]
    #[arg(long, value_name = "SECONDS", hide = true)]
    pub(crate) at: Option<i64>,
}

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// When posts come: `slot,rate` lines (rates per day; the slots of a day or a week) or one Unix time a line
    #[arg(long, value_name = "FILE")]
    pub(crate) posting: PathBuf,
    /// Polls per period
    #[arg(long)]
    pub(crate) polls: usize,
    /// When people look, in the same form
    #[arg(long, value_name = "FILE")]
    pub(crate) attention: Option<PathBuf>,
    /// What to keep small: delay, miss or access-delay
    #[arg(long, default_value = "delay")]
    pub(crate) metric: String,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum UserCommand {
    /// Make an account
    Add {
        /// The name to sign in with
        name: String,
        /// May manage the server
        #[arg(long)]
        admin: bool,
        /// Read the password from standard input instead of asking
        #[arg(long)]
        password_stdin: bool,
    },
    /// Print all accounts
    List,
    /// Make a token for an app and print it once
    Token {
        /// Whose account the app uses
        name: String,
        /// What the token is for
        #[arg(long, default_value = "command line")]
        label: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct PersonArgs {
    /// Whose
    #[arg(long, value_name = "NAME")]
    pub(crate) user: String,
}

#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    /// A feed, or a page that names its feed
    pub(crate) url: String,
    #[command(flatten)]
    pub(crate) person: PersonArgs,
    /// Folder to put it in; A/B is a folder in a folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) folder: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// An OPML file, or - for standard input
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) person: PersonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PollArgs {
    /// Only this feed, now, if no floor forbids it
    #[arg(long, value_name = "URL", conflicts_with = "due")]
    pub(crate) feed: Option<String>,
    /// Everything that is due (the default)
    #[arg(long)]
    pub(crate) due: bool,
    /// Stop when nothing is due any more, instead of waiting for what is due next
    #[arg(long)]
    pub(crate) once: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ParseArgs {
    /// A feed document, or - for standard input
    pub(crate) file: PathBuf,
    /// Where it came from, to make its links absolute
    #[arg(long, value_name = "URL")]
    pub(crate) base: Option<url::Url>,
    /// The Content-Type it came with
    #[arg(long, value_name = "TYPE")]
    pub(crate) content_type: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct FarmArgs {
    /// Feeds of the simulated web
    #[arg(long)]
    pub(crate) feeds: usize,
    /// Items in each document
    #[arg(long, default_value_t = 10)]
    pub(crate) items: usize,
    /// Another world
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_argument_says_what_it_is_for_and_commands_show_how_they_are_used() {
        fn check(command: &clap::Command) {
            for arg in command.get_arguments() {
                assert!(arg.get_help().is_some(), "{} {}", command.get_name(), arg.get_id());
            }
            command.get_subcommands().for_each(check);
        }
        let command = Cli::command();
        command.get_subcommands().filter(|one| one.get_name() != "lab").for_each(check);
        for name in ["user", "import", "poll", "parse", "backup", "restore"] {
            let help = command.find_subcommand(name).and_then(clap::Command::get_after_help);
            let help = help.map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("Examples:") && help.contains("Exit codes:"), "{name}");
        }
    }

    #[test]
    fn every_setting_has_a_flag_a_variable_and_the_same_name() {
        let command = Cli::command();
        let settings: Vec<_> = command.get_arguments().filter(|arg| arg.get_env().is_some()).collect();
        assert!(settings.len() >= 15);
        for arg in settings {
            let name = arg.get_long().expect("a flag").replace('-', "_").to_uppercase();
            assert_eq!(arg.get_env().and_then(|env| env.to_str()), Some(format!("WELLREAD_{name}").as_str()));
        }
    }
}
