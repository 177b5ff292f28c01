//! `wellread lab …`: what experiments are asked with.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum LabCommand {
    /// Policies replayed on real traces at the same number of polls: ours, the papers', other readers', the bounds
    Schedule(ScheduleArgs),
    /// What people miss when they look, each of them alone, and the tables of He & Parker
    Access(ScheduleArgs),
    /// Delay against budget, without floors and with those that ship
    Frontier(FrontierArgs),
    /// What push would save in polls, bytes and delay
    Push(FrontierArgs),
    /// How the price keeps to the budget: weekly use, a doubled budget, a fixed price, no longest interval
    Control(FrontierArgs),
    /// Plans judged by the model they are made from: is the exact plan exact, and what is optimising worth
    Model(ModelArgs),
    /// The papers' ways to place polls within a day against the exact plan
    Placement(PlacementArgs),
    /// What feeds are about and polling by it: the policies and experiments of paper 004 on articles
    Profiles(ProfilesArgs),
    /// What somebody's feeds talk about: the methods of chapter 4 of paper 003 and the index that ships
    Buzz(BuzzArgs),
    /// What exploring is worth: the simulations of paper 003, chapter 3, and one of a reader of feeds
    Rank(RankArgs),
    /// Rankers judged by what people really clicked and rated: three published logs, with intervals
    Clicks(ClicksArgs),
    /// How fast feeds are refreshed: cold and unchanged, against a simulated web in its own process
    Refresh {
        #[arg(long, default_value_t = 10_000)]
        feeds: usize,
        /// Items per document
        #[arg(long, default_value_t = 10)]
        items: usize,
        /// Polls under way at once
        #[arg(long, default_value_t = 64)]
        concurrency: usize,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
}

/// Which weeks of which feeds.
#[derive(Debug, Args)]
pub(crate) struct TraceArgs {
    /// CSV source_id,unix_ts or articles as NDJSON, plain, .gz or .zst; several are mixed
    #[arg(long, value_name = "FILE", value_delimiter = ',', required = true)]
    pub(crate) posts: Vec<PathBuf>,
    /// Days before the test that everybody may learn from
    #[arg(long, default_value_t = 14)]
    pub(crate) train_days: u32,
    /// Days that are replayed; to the end of the trace unless given
    #[arg(long)]
    pub(crate) test_days: Option<u32>,
    /// Where training starts, one date for all traces or one each; the first Monday unless given
    #[arg(long, value_name = "DATE", value_delimiter = ',')]
    pub(crate) start: Vec<String>,
    /// Training days by trace, in place of --train-days; package releases have at least 98
    #[arg(long, value_delimiter = ',')]
    pub(crate) history_days: Vec<u32>,
    /// Draw so many feeds, from all or from each trace
    #[arg(long, value_delimiter = ',')]
    pub(crate) sample: Vec<usize>,
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    #[command(flatten)]
    pub(crate) trace: TraceArgs,
    /// CSV user_id,unix_ts: when people look
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    pub(crate) accesses: Vec<PathBuf>,
    /// CSV user,source: who reads what; everybody everything unless given
    #[arg(long, value_name = "FILE", requires = "accesses")]
    pub(crate) subscriptions: Option<PathBuf>,
    /// Only the people with most visits
    #[arg(long, value_name = "N")]
    pub(crate) readers: Option<usize>,
    /// Each person alone with all their feeds, and the mean over people
    #[arg(long)]
    pub(crate) apart: bool,
    /// The papers' policies learn from the posts of so many days
    #[arg(long, value_name = "DAYS", default_value_t = 14.0)]
    pub(crate) learn_days: f64,
    /// And from the looks of so many; all there are unless given
    #[arg(long, value_name = "DAYS")]
    pub(crate) learn_looks_days: Option<f64>,
    /// Their plans are made anew every so many days; once, before the test, unless given
    #[arg(long, value_name = "DAYS")]
    pub(crate) anew_days: Option<u32>,
    /// Least minutes between two polls of a feed
    #[arg(long, default_value_t = 0.0)]
    pub(crate) floor_min: f64,
    /// The floors of a server: 60 minutes, 15 for feeds with 12 or more posts a day
    #[arg(long, conflicts_with = "floor_min")]
    pub(crate) shipped_floors: bool,
    /// Items a document shows
    #[arg(long, default_value_t = 15)]
    pub(crate) window_items: usize,
    /// Share of a document that our policies let fill before they poll again; the server has 0.7, the papers none
    #[arg(long, default_value_t = 0.0)]
    pub(crate) window_guard: f64,
    #[arg(long, default_value_t = 560)]
    pub(crate) item_bytes: u64,
    /// Stretch intervals by up to this share, either way
    #[arg(long, default_value_t = 0.0)]
    pub(crate) jitter: f64,
    /// Nothing can be polled for so long in the middle of the test
    #[arg(long, default_value_t = 0.0)]
    pub(crate) outage_hours: f64,
    /// What plans keep small; delay, or posts missed where people are known, unless given
    #[arg(long)]
    pub(crate) metric: Option<MetricArg>,
    /// Which policies, by name; all unless given
    #[arg(long, value_delimiter = ',')]
    pub(crate) policies: Vec<String>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ScheduleArgs {
    #[command(flatten)]
    pub(crate) replay: ReplayArgs,
    /// Mean polls per feed and day
    #[arg(long, default_value_t = 4.0)]
    pub(crate) polls_per_day: f64,
}

#[derive(Debug, Args)]
pub(crate) struct FrontierArgs {
    #[command(flatten)]
    pub(crate) replay: ReplayArgs,
    /// Mean polls per feed and day, several
    #[arg(long, value_delimiter = ',')]
    pub(crate) polls_per_day: Vec<f64>,
}

#[derive(Debug, Args)]
pub(crate) struct PlacementArgs {
    #[command(flatten)]
    pub(crate) trace: TraceArgs,
    /// Slots of the day
    #[arg(long, default_value_t = 96)]
    pub(crate) slots: usize,
    /// Polls per day
    #[arg(long, default_value_t = 6)]
    pub(crate) polls: usize,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ModelArgs {
    #[command(flatten)]
    pub(crate) trace: TraceArgs,
    /// Feeds with power-law rates and the trace's hours
    #[arg(long, default_value_t = 600)]
    pub(crate) feeds: usize,
    /// Mean polls per feed and day, several
    #[arg(long, value_delimiter = ',')]
    pub(crate) polls_per_day: Vec<f64>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ProfilesArgs {
    /// NDJSON {source,ts,title,summary,url}, plain, .gz or .zst
    #[arg(long, value_name = "FILE")]
    pub(crate) articles: PathBuf,
    /// Probes per hour, over all channels
    #[arg(long, value_name = "M", default_value_t = 4.0)]
    pub(crate) budget: f64,
    /// Items of a profile
    #[arg(long, value_name = "ITEMS", default_value_t = 20)]
    pub(crate) window: usize,
    /// Threshold of the novelty filter
    #[arg(long, default_value_t = 0.1, allow_negative_numbers = true)]
    pub(crate) beta: f64,
    /// Items a document shows
    #[arg(long, default_value_t = 15)]
    pub(crate) window_items: usize,
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Which policies, by name; all unless given
    #[arg(long, value_delimiter = ',')]
    pub(crate) policies: Vec<String>,
    /// One figure or table of the paper instead: cohesion, rates, beta, window, similarity, budget, window-many,
    /// beta-many, refinement, topics, mirrors, learnt-beta
    #[arg(long, value_name = "NAME")]
    pub(crate) experiment: Option<String>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct BuzzArgs {
    /// CSV user,source,weight, plain, .gz or .zst
    #[arg(long, value_name = "FILE", required_unless_present = "synthetic", requires = "references")]
    pub(crate) subscriptions: Option<PathBuf>,
    /// CSV source,item,score, or articles as NDJSON whose words are the references
    #[arg(long, value_name = "FILE", requires = "subscriptions")]
    pub(crate) references: Option<PathBuf>,
    /// Of articles only the last so many days
    #[arg(long)]
    pub(crate) days: Option<u32>,
    /// Score words by tf·idf of the same day, as the paper does, instead of as they ship
    #[arg(long)]
    pub(crate) same_day_idf: bool,
    /// Subscriptions count by their weight instead of one each
    #[arg(long)]
    pub(crate) weighted: bool,
    /// A world of Bloglines' size instead: light, full or heavy
    #[arg(long, value_name = "SIZE", conflicts_with = "subscriptions")]
    pub(crate) synthetic: Option<String>,
    /// Sources per user as in subs-hn
    #[arg(long, requires = "synthetic")]
    pub(crate) resampled: bool,
    /// A folder with articles-reddit, for what feeds say, and subs-hn; posts are drawn unless given
    #[arg(long, value_name = "DIR", env = "WELLREAD_LAB_DATA")]
    pub(crate) data: Option<PathBuf>,
    /// Length of a list
    #[arg(long, default_value_t = 20)]
    pub(crate) top: usize,
    /// Groups of the factorisation
    #[arg(long, default_value_t = 100)]
    pub(crate) rank: usize,
    /// Penalty on the values of both factors: more is sparser
    #[arg(long, default_value_t = 0.1)]
    pub(crate) l1: f64,
    /// Users asked for, those who follow most
    #[arg(long, default_value_t = 1_000)]
    pub(crate) readers: usize,
    /// The dense region has users with more sources and sources with more readers; 30, or 0 for files
    #[arg(long, value_name = "N")]
    pub(crate) border: Option<usize>,
    /// Threads of the factorisation
    #[arg(long, default_value_t = 1)]
    pub(crate) threads: usize,
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Which methods, by name; all unless given
    #[arg(long, value_delimiter = ',')]
    pub(crate) methods: Vec<String>,
    /// One figure or table of the paper instead: personal, lists, svd, by-k, times, regions, borders, nmf, scale, recommend
    #[arg(long, value_name = "NAME")]
    pub(crate) experiment: Option<String>,
    /// Where the experiment nmf writes the dense region, as row,column,value
    #[arg(long, value_name = "FILE", requires = "experiment")]
    pub(crate) matrix: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct RankArgs {
    /// Simulated readers; 2000, or 300 with --contextual
    #[arg(long)]
    pub(crate) users: Option<usize>,
    /// Lists each of them sees; 100, or 80 with --contextual
    #[arg(long)]
    pub(crate) iterations: Option<usize>,
    /// Two interests become others every N lists; never unless given
    #[arg(long, value_name = "N")]
    pub(crate) drift_every: Option<usize>,
    /// Of how many of the strongest interests these two are
    #[arg(long, default_value_t = 20)]
    pub(crate) drift_pool: usize,
    /// Items of several topics from feeds, ageing, twenty rows: the ranker as shipped
    #[arg(long)]
    pub(crate) contextual: bool,
    /// How interest becomes a click, with --contextual
    #[arg(long, value_enum, default_value_t = ClickModelArg::Logistic)]
    pub(crate) click_model: ClickModelArg,
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Which strategies, by name; all unless given
    #[arg(long, value_delimiter = ',')]
    pub(crate) strategies: Vec<String>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ClicksArgs {
    /// The folder with clicks-obd, clicks-mind and ratings-movielens
    #[arg(long, value_name = "DIR", env = "WELLREAD_LAB_DATA")]
    pub(crate) data: Option<PathBuf>,
    /// Which sets, by name: obd, mind, movielens; all unless given
    #[arg(long, value_delimiter = ',')]
    pub(crate) sets: Vec<String>,
    /// Draws behind each interval
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) resamples: usize,
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ClickModelArg {
    Logistic,
    Capped,
}

#[derive(Debug, Args)]
pub(crate) struct OutputArgs {
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Draw a figure
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) figure: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum MetricArg {
    Delay,
    Miss,
    AccessDelay,
}
