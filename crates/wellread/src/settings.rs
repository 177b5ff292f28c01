//! Configuration: one list of settings, each with a flag, an environment variable and a line in `wellread.toml`.
//!
//! Order of strength: flag, environment, file, default. Everything is read once, checked, and turned into the structs
//! the other crates take; nothing later looks at the environment.

use anyhow::{Context, Result, bail};
use clap::Args;
use domain::{Limits, Secret};
use fetch::AllowList;
use plan::Policy;
use serde::Deserialize;
use serve::{BasePath, ProxyRange};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::Place;

/// What a person may set. The same names serve as flags (`--data-dir`), variables (`WELLREAD_DATA_DIR`) and keys
/// (`data_dir`).
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[command(next_help_heading = "Settings (flag, WELLREAD_… variable, or line in wellread.toml)")]
pub(crate) struct Wishes {
    /// Settings file [default: wellread.toml in the data folder, if there]
    #[arg(long, global = true, env = "WELLREAD_CONFIG", value_name = "FILE", hide_env = true)]
    #[serde(skip)]
    pub(crate) config: Option<PathBuf>,

    /// Folder for the database, the key and settings [default: ~/.local/share/wellread]
    #[arg(long, global = true, env = "WELLREAD_DATA_DIR", value_name = "DIR", hide_env = true)]
    pub(crate) data_dir: Option<PathBuf>,

    /// postgres://… to share one database among many machines [default: SQLite in the data folder]
    #[arg(long, global = true, env = "WELLREAD_DATABASE_URL", value_name = "URL", hide_env = true)]
    pub(crate) database_url: Option<String>,

    /// Address to serve on [default: 127.0.0.1:7323]
    #[arg(long, global = true, env = "WELLREAD_LISTEN", value_name = "ADDR", hide_env = true)]
    pub(crate) listen: Option<SocketAddr>,

    /// What this process does, of web, crawl, learn [default: web,crawl,learn]
    #[arg(
        long,
        global = true,
        env = "WELLREAD_ROLES",
        value_name = "LIST",
        hide_env = true,
        value_delimiter = ','
    )]
    pub(crate) roles: Option<Vec<String>>,

    /// Path under which a reverse proxy shows Wellread, such as /reader [default: none]
    #[arg(long, global = true, env = "WELLREAD_BASE_PATH", value_name = "PATH", hide_env = true)]
    pub(crate) base_path: Option<String>,

    /// People reach Wellread by https only: cookies are marked so, and browsers are told [default: false]
    #[arg(long, global = true, env = "WELLREAD_HTTPS", value_name = "BOOL", hide_env = true, num_args = 0..=1, default_missing_value = "true")]
    pub(crate) https: Option<bool>,

    /// Reverse proxies whose X-Forwarded-For and -Proto are believed, such as 127.0.0.1 or 10.0.0.0/8 [default: none]
    #[arg(
        long,
        global = true,
        env = "WELLREAD_PROXIES",
        value_name = "LIST",
        hide_env = true,
        value_delimiter = ','
    )]
    pub(crate) proxies: Option<Vec<String>>,

    /// Address publishers find in our User-Agent, such as that of your /about-fetcher page [default: none]
    #[arg(long, global = true, env = "WELLREAD_CONTACT", value_name = "URL", hide_env = true)]
    pub(crate) contact: Option<String>,

    /// Private places that may be fetched all the same: host:port or CIDR:port, comma separated [default: none]
    #[arg(
        long,
        global = true,
        env = "WELLREAD_ALLOW",
        value_name = "LIST",
        hide_env = true,
        value_delimiter = ','
    )]
    pub(crate) allow: Option<Vec<String>>,

    /// Mean polls per feed and day [default: 12]
    #[arg(long, global = true, env = "WELLREAD_BUDGET", value_name = "N", hide_env = true)]
    pub(crate) budget: Option<f64>,

    /// Polls under way at once, 1–1024 [default: 64]
    #[arg(long, global = true, env = "WELLREAD_POLLS_MAX", value_name = "N", hide_env = true)]
    pub(crate) polls_max: Option<usize>,

    /// Largest feed document in MiB, 1–100 [default: 15]
    #[arg(long, global = true, env = "WELLREAD_BODY_MIB_MAX", value_name = "N", hide_env = true)]
    pub(crate) body_mib_max: Option<u64>,

    /// Most feeds taken from one OPML file and per person, 1–100000 [default: 5000]
    #[arg(long, global = true, env = "WELLREAD_SUBSCRIPTIONS_MAX", value_name = "N", hide_env = true)]
    pub(crate) subscriptions_max: Option<usize>,

    /// Days to keep read items that are neither starred nor tagged; 0 keeps all [default: 0]
    #[arg(long, global = true, env = "WELLREAD_KEEP_DAYS", value_name = "N", hide_env = true)]
    pub(crate) keep_days: Option<u64>,

    /// Newest items of a feed to keep, besides unread, starred and tagged ones; 0 keeps all [default: 0]
    #[arg(long, global = true, env = "WELLREAD_KEEP_ITEMS", value_name = "N", hide_env = true)]
    pub(crate) keep_items: Option<u32>,

    /// What to log, such as info or wellread=debug,fetch=trace [default: info]
    #[arg(long, global = true, env = "WELLREAD_LOG", value_name = "FILTER", hide_env = true)]
    pub(crate) log: Option<String>,

    /// Log as JSON lines
    #[arg(long, global = true, env = "WELLREAD_LOG_JSON", value_name = "BOOL", hide_env = true, num_args = 0..=1, default_missing_value = "true")]
    pub(crate) log_json: Option<bool>,
}

/// Settings after reading and checking.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) data_dir: PathBuf,
    pub(crate) place: Place,
    pub(crate) listen: SocketAddr,
    pub(crate) web: bool,
    pub(crate) crawl: bool,
    pub(crate) learn: bool,
    pub(crate) base_path: BasePath,
    pub(crate) https: bool,
    pub(crate) proxies: Vec<ProxyRange>,
    /// The same as written.
    pub(crate) proxy_list: Vec<String>,
    pub(crate) contact: Option<String>,
    pub(crate) allow: Vec<String>,
    pub(crate) allow_list: AllowList,
    pub(crate) policy: Policy,
    pub(crate) limits: Limits,
    pub(crate) polls_max: usize,
    pub(crate) keep_days: u64,
    pub(crate) keep_items: u32,
    pub(crate) log: String,
    pub(crate) log_json: bool,
    /// The file that was read, if any.
    pub(crate) file: Option<PathBuf>,
}

const FILE_BYTES_MAX: u64 = 1 << 20;

impl Settings {
    pub(crate) fn read(flags: Wishes) -> Result<Settings> {
        let data_dir = match &flags.data_dir {
            Some(dir) => dir.clone(),
            None => default_data_dir()?,
        };
        let file = find_file(&flags, &data_dir)?;
        let from_file = match &file {
            Some(path) => read_file(path)?,
            None => Wishes::default(),
        };
        Settings::check(flags, from_file, data_dir, file)
    }

    fn check(flags: Wishes, file: Wishes, data_dir: PathBuf, path: Option<PathBuf>) -> Result<Settings> {
        let data_dir = flags.data_dir.or(file.data_dir).unwrap_or(data_dir);
        let [web, crawl, learn] = roles(flags.roles.or(file.roles))?;
        let allow = flags.allow.or(file.allow).unwrap_or_default();
        let allow_list =
            AllowList::parse(allow.iter().map(String::as_str).filter(|entry| !entry.trim().is_empty()))?;
        let proxies = flags.proxies.or(file.proxies).unwrap_or_default();
        let budget = flags.budget.or(file.budget).unwrap_or(12.0);
        if !(0.1..=288.0).contains(&budget) {
            bail!("budget is {budget}, but must be between 0.1 and 288 polls per feed and day");
        }
        let polls_max = within("polls_max", flags.polls_max.or(file.polls_max).unwrap_or(64), 1, 1024)?;
        let body_mib =
            within("body_mib_max", flags.body_mib_max.or(file.body_mib_max).unwrap_or(15), 1, 100)?;
        let subscriptions = within(
            "subscriptions_max",
            flags.subscriptions_max.or(file.subscriptions_max).unwrap_or(5000),
            1,
            100_000,
        )?;
        let limits = Limits {
            body_bytes_max: body_mib << 20,
            body_wire_bytes_max: (body_mib << 20) / 3,
            subscriptions_max: subscriptions,
            opml_outlines_max: subscriptions,
            fetches_max: polls_max,
            ..Limits::default()
        };
        let place = match flags.database_url.or(file.database_url) {
            None => Place::Sqlite(data_dir.join("wellread.sqlite3")),
            Some(url) if url.starts_with("postgres://") || url.starts_with("postgresql://") => {
                Place::Postgres(Secret::new(url))
            }
            Some(_) => bail!(
                "database_url must start with postgres://; leave it out to use SQLite in the data folder"
            ),
        };
        Ok(Settings {
            place,
            listen: flags.listen.or(file.listen).unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 7323))),
            web,
            crawl,
            learn,
            base_path: BasePath::parse(&flags.base_path.or(file.base_path).unwrap_or_default())?,
            https: flags.https.or(file.https).unwrap_or(false),
            proxies: proxies
                .iter()
                .filter(|entry| !entry.trim().is_empty())
                .map(|entry| ProxyRange::parse(entry))
                .collect::<Result<_, _>>()?,
            proxy_list: proxies,
            contact: flags.contact.or(file.contact).map(contact).transpose()?,
            allow,
            allow_list,
            policy: Policy { budget_polls_per_day: budget, ..Policy::default() },
            limits,
            polls_max,
            keep_days: flags.keep_days.or(file.keep_days).unwrap_or(0),
            keep_items: flags.keep_items.or(file.keep_items).unwrap_or(0),
            log: flags.log.or(file.log).unwrap_or_else(|| "info".to_owned()),
            log_json: flags.log_json.or(file.log_json).unwrap_or(false),
            data_dir,
            file: path,
        })
    }

    pub(crate) fn secret_key_path(&self) -> PathBuf {
        self.data_dir.join("secret.key")
    }

    /// Each node keeps its own: never on a disk that two share.
    pub(crate) fn search_folder(&self) -> PathBuf {
        self.data_dir.join("search")
    }

    pub(crate) fn keep_age(&self) -> Option<Duration> {
        (self.keep_days > 0).then(|| Duration::from_secs(self.keep_days.saturating_mul(86_400)))
    }

    /// Every value in force, as it would stand in the file, without secrets.
    pub(crate) fn masked(&self) -> String {
        let database = match &self.place {
            Place::Sqlite(path) => format!("# database: SQLite at {}", path.display()),
            Place::SqliteMemory => "# database: in memory".to_owned(),
            Place::Postgres(url) => format!("database_url = {:?}", mask_password(url.reveal())),
        };
        let have = [self.web, self.crawl, self.learn];
        let roles: Vec<_> =
            ROLES.into_iter().zip(have).filter(|(_, has)| *has).map(|(role, _)| role).collect();
        let file = self.file.as_ref().map_or("none".to_owned(), |file| file.display().to_string());
        let contact =
            self.contact.as_ref().map_or("# contact: none".to_owned(), |c| format!("contact = {c:?}"));
        format!(
            "# settings file: {file}\ndata_dir = {:?}\n{database}\nlisten = \"{}\"\nroles = {roles:?}\n\
             base_path = {:?}\nhttps = {}\nproxies = {:?}\n{contact}\nallow = {:?}\nbudget = {}\npolls_max = {}\nbody_mib_max = {}\n\
             subscriptions_max = {}\nkeep_days = {}\nkeep_items = {}\nlog = {:?}\nlog_json = {}\n",
            self.data_dir.display().to_string(),
            self.listen,
            self.base_path.as_str(),
            self.https,
            self.proxy_list,
            self.allow,
            self.policy.budget_polls_per_day,
            self.polls_max,
            self.limits.body_bytes_max >> 20,
            self.limits.subscriptions_max,
            self.keep_days,
            self.keep_items,
            self.log,
            self.log_json,
        )
    }
}

fn default_data_dir() -> Result<PathBuf> {
    let from = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = from("XDG_DATA_HOME").or_else(|| Some(from("HOME")?.join(".local/share")));
    Ok(base.context("there is no home folder: say where to keep data with --data-dir DIR")?.join("wellread"))
}

fn find_file(flags: &Wishes, data_dir: &Path) -> Result<Option<PathBuf>> {
    if let Some(file) = &flags.config {
        if !file.is_file() {
            bail!("{} is not there, but --config names it", file.display());
        }
        return Ok(Some(file.clone()));
    }
    let usual = data_dir.join("wellread.toml");
    Ok(usual.is_file().then_some(usual))
}

fn read_file(path: &Path) -> Result<Wishes> {
    let size = std::fs::metadata(path).map_or(0, |meta| meta.len());
    if size > FILE_BYTES_MAX {
        bail!("{} is larger than 1 MiB; that cannot be a settings file", path.display());
    }
    let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    toml::from_str(&text).with_context(|| format!("{} has a line that cannot be understood", path.display()))
}

const ROLES: [&str; 3] = ["web", "crawl", "learn"];

/// Which of [`ROLES`] are wanted; all unless said otherwise.
fn roles(wanted: Option<Vec<String>>) -> Result<[bool; 3]> {
    let Some(wanted) = wanted else { return Ok([true; 3]) };
    if let Some(other) = wanted.iter().map(|role| role.trim()).find(|role| !ROLES.contains(role)) {
        bail!("there is no role {other:?}; roles are web, crawl and learn");
    }
    let have = ROLES.map(|role| wanted.iter().any(|wish| wish.trim() == role));
    if have == [false; 3] {
        bail!("roles is empty; name at least one of web, crawl and learn");
    }
    Ok(have)
}

fn contact(text: String) -> Result<String> {
    let ok = url::Url::parse(&text).is_ok_and(|url| matches!(url.scheme(), "http" | "https" | "mailto"));
    if ok && text.chars().all(|c| c.is_ascii_graphic()) {
        return Ok(text);
    }
    bail!(
        "contact is {text:?}, but must be an address that publishers can open, such as https://reader.example/about-fetcher"
    )
}

fn within<T: PartialOrd + std::fmt::Display>(name: &str, value: T, least: T, most: T) -> Result<T> {
    if value < least || value > most {
        bail!("{name} is {value}, but must be between {least} and {most}");
    }
    Ok(value)
}

fn mask_password(url: &str) -> String {
    match url::Url::parse(url) {
        Ok(mut url) => {
            if url.password().is_some() && url.set_password(Some("***")).is_err() {
                return "postgres://***".to_owned();
            }
            url.set_query(None);
            url.to_string()
        }
        Err(_) => "postgres://***".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(toml: &str) -> Result<Settings> {
        let file: Wishes = toml::from_str(toml)?;
        Settings::check(Wishes::default(), file, PathBuf::from("data"), None)
    }

    fn refused(toml: &str) -> String {
        check(toml).expect_err(toml).to_string()
    }

    #[test]
    fn an_empty_file_gives_the_defaults_of_the_design() {
        let settings = check("").expect("defaults");
        assert_eq!(settings.listen.to_string(), "127.0.0.1:7323");
        assert_eq!(settings.policy.budget_polls_per_day, 12.0);
        assert!(settings.web && settings.crawl && settings.learn && settings.allow.is_empty());
        assert_eq!(settings.limits, Limits { body_wire_bytes_max: (15 << 20) / 3, ..Limits::default() });
    }

    #[test]
    fn a_flag_wins_over_the_file() {
        let flags = Wishes { budget: Some(5.0), ..Wishes::default() };
        let file: Wishes = toml::from_str("budget = 7.0\nkeep_days = 3").expect("reads");
        let settings = Settings::check(flags, file, PathBuf::from("data"), None).expect("fine");
        assert_eq!((settings.policy.budget_polls_per_day, settings.keep_days), (5.0, 3));
    }

    #[test]
    fn bad_values_are_refused_with_a_sentence() {
        assert!(refused("polls_max = 0").contains("between 1 and 1024"));
        assert!(refused("budget = nan").contains("between 0.1 and 288"));
        assert!(refused("roles = ['chef']").contains("web, crawl and learn"));
        assert!(!refused("base_path = '//evil'").is_empty());
        assert!(refused("database_url = 'mysql://x'").contains("postgres://"));
        assert!(refused("colour = 'red'").contains("colour"));
        assert!(refused("contact = 'javascript:x'").contains("publishers can open"));
    }

    #[test]
    fn e16_an_allow_entry_without_a_port_is_refused_with_a_sentence() {
        let sentence = refused("allow = ['nas.lan']");
        assert!(sentence.contains("nas.lan") && sentence.contains("port"), "{sentence}");
        assert!(check("allow = ['nas.lan:8080', '192.168.1.0/24:80']").is_ok());
    }

    #[test]
    fn what_is_printed_shows_no_password() {
        let shown =
            check("database_url = 'postgres://u:hunter2@db/w?password=hunter2'").expect("fine").masked();
        assert!(!shown.contains("hunter2") && shown.contains("***"), "{shown}");
    }

    #[test]
    fn what_is_printed_reads_back_as_a_settings_file() {
        let shown = check("allow = ['nas.lan:80']\ncontact = 'https://a.test/'").expect("fine").masked();
        check(&shown).expect("reads back");
    }
}
