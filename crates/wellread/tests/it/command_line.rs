//! The binary from outside: exit codes, output and sentences, as scripts see them.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const FEED: &str = r#"<?xml version="1.0"?><rss version="2.0"><channel><title>Tide &amp; Time</title>
<link>http://tide.test/</link><item><title>Neap</title><link>/neap</link><guid>1</guid>
<description>&lt;p onclick="x()"&gt;Low &lt;script&gt;bad()&lt;/script&gt;water&lt;/p&gt;</description></item></channel></rss>"#;

fn wellread(folder: &Path, arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_wellread"))
        .args(arguments)
        .env_clear()
        .env("WELLREAD_DATA_DIR", folder)
        .env("WELLREAD_LOG", "off")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that does not read its input closes it; that is no failure of the test.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn done(folder: &Path, arguments: &[&str], input: &[u8]) -> String {
    let output = wellread(folder, arguments, input);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", err(&output));
    out(&output)
}

#[test]
fn parse_prints_the_contract_and_exits_by_it() {
    let folder = tempfile::tempdir().unwrap();
    let printed = done(folder.path(), &["parse", "-", "--base", "http://tide.test/feed"], FEED.as_bytes());
    let json: serde_json::Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(json["format"], "rss-2.0");
    assert_eq!(json["title"], "Tide & Time");
    assert_eq!(json["items"][0]["link"], "http://tide.test/neap");
    let html = json["items"][0]["summary"].as_str().unwrap();
    assert!(!html.contains("onclick") && !html.contains("bad()") && html.contains("water"), "{html}");
    let keys = [
        "format",
        "encoding",
        "title",
        "link",
        "self",
        "description",
        "language",
        "author",
        "rights",
        "icon",
        "updated",
        "ttl_minutes",
        "hubs",
        "items",
        "complaints",
    ];
    for key in keys {
        assert!(json.get(key).is_some(), "{key}");
    }
    let places: Vec<_> = keys.iter().map(|key| printed.find(&format!("\"{key}\":")).unwrap()).collect();
    assert!(places[..13].is_sorted(), "the keys stand in the contract's order");

    let page = wellread(folder.path(), &["parse", "-"], b"<html><body>Hello</body></html>");
    assert_eq!(page.status.code(), Some(1));
    assert!(err(&page).len() > 20, "{}", err(&page));
    assert_eq!(wellread(folder.path(), &["parse", "-"], b"").status.code(), Some(1));
    assert_eq!(wellread(folder.path(), &["parse"], b"").status.code(), Some(2));
    assert_eq!(wellread(folder.path(), &["parse", "-", "--base", "no address"], b"").status.code(), Some(2));
    for nothing_to_read in ["/nowhere/at/all", "/"] {
        let output = wellread(folder.path(), &["parse", nothing_to_read], b"");
        assert_eq!(output.status.code(), Some(2), "{}", err(&output));
    }
}

#[test]
fn a_reader_that_has_read_enough_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    for command in ["check-config", "doctor", "migrate"] {
        let (nobody, stdout) = std::io::pipe().unwrap();
        drop(nobody);
        let output = Command::new(env!("CARGO_BIN_EXE_wellread"))
            .args([command, "--listen", "127.0.0.1:0"])
            .env_clear()
            .env("WELLREAD_DATA_DIR", folder.path())
            .stdout(stdout)
            .output()
            .unwrap();
        assert_eq!((output.status.code(), err(&output)), (Some(0), String::new()), "{command}");
    }
}

#[test]
fn people_subscriptions_backup_and_restore_from_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let opml = r#"<opml version="2.0"><body><outline text="Sea"><outline text="Tide" xmlUrl="http://tide.test/feed"/>
        <outline text="Salt" xmlUrl="https://mira:hunter2@salt.test/feed"/></outline></body></opml>"#;
    let here = folder.path();
    done(here, &["user", "add", "mira", "--admin", "--password-stdin"], b"correct horse battery\n");
    assert_eq!(
        wellread(here, &["user", "add", "mira", "--password-stdin"], b"correct horse battery\n")
            .status
            .code(),
        Some(1)
    );
    assert_eq!(
        wellread(here, &["user", "add", "noor", "--password-stdin"], b"x\n").status.code(),
        Some(1),
        "too short"
    );
    assert!(done(here, &["user", "list"], b"").contains("mira\tadmin"));
    assert!(done(here, &["user", "token", "mira"], b"").trim().len() >= 40);

    let half = opml.replace(
        "<outline text=\"Salt\"",
        "<outline text=\"Own\" xmlUrl=\"file:///etc/passwd\"/><outline text=\"Salt\"",
    );
    let imported = done(here, &["import", "-", "--user", "mira"], half.as_bytes());
    assert!(imported.contains("2 more feeds"), "{imported}");
    assert!(imported.contains("file:///etc/passwd") && imported.contains("left out"), "{imported}");
    assert!(
        done(here, &["import", "-", "--user", "mira"], opml.as_bytes()).contains("2 were followed already")
    );
    let exported = done(here, &["export", "--user", "mira"], b"");
    assert!(exported.contains("http://tide.test/feed") && exported.contains("Sea"), "{exported}");
    assert!(!exported.contains("hunter2"), "E10: no password leaves");

    let archive = here.join("all.backup");
    let archive = archive.to_str().unwrap();
    done(here, &["backup", archive], b"");
    assert_eq!(wellread(here, &["backup", archive], b"").status.code(), Some(1), "never overwrites");
    assert_eq!(
        wellread(here, &["restore", archive], b"").status.code(),
        Some(1),
        "not into a database in use"
    );
    let there = tempfile::tempdir().unwrap();
    done(there.path(), &["restore", archive], b"");
    assert_eq!(
        done(there.path(), &["export", "--user", "mira"], b"").lines().count(),
        exported.lines().count()
    );
    assert!(done(there.path(), &["user", "list"], b"").contains("mira\tadmin"));
}

#[test]
fn e10_and_o8_a_feeds_password_is_nowhere_in_the_data_folder() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let opml = r#"<opml><body><outline text="Salt" xmlUrl="https://mira:hunter2secret@salt.test/feed"/></body></opml>"#;
    done(here, &["user", "add", "mira", "--password-stdin"], b"correct horse battery\n");
    done(here, &["import", "-", "--user", "mira"], opml.as_bytes());
    done(here, &["backup", here.join("b").to_str().unwrap()], b"");
    let mut files = 0;
    for entry in std::fs::read_dir(here).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        files += 1;
        let found = bytes.windows(13).any(|window| window == b"hunter2secret");
        assert!(!found, "{} holds the password", path.display());
        #[cfg(unix)]
        if path.ends_with("secret.key") {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
    assert!(files >= 3, "database, key and backup");
}

/// Answers every request with the same feed, until the test ends.
fn publish(listener: TcpListener) {
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut request = [0; 4096];
            let _ = stream.read(&mut request);
            let head = format!(
                "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                FEED.len()
            );
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(FEED.as_bytes()));
        }
    });
}

#[test]
fn a_feed_is_added_once_and_a_poll_inside_a_floor_exits_with_three() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let place = listener.local_addr().unwrap().to_string();
    publish(listener);
    let url = format!("http://{place}/feed.xml");
    done(here, &["user", "add", "mira", "--password-stdin"], b"correct horse battery\n");

    let guarded = wellread(here, &["add", &url, "--user", "mira"], b"");
    assert_eq!(guarded.status.code(), Some(1), "loopback is refused unless allowed");
    let added = done(here, &["add", &url, "--user", "mira", "--allow", &place, "--folder", "Sea/Tides"], b"");
    assert!(added.contains("now follows") && added.contains("1 items"), "{added}");
    let again = wellread(here, &["poll", "--feed", &url, "--allow", &place], b"");
    assert_eq!(again.status.code(), Some(3), "{}", err(&again));
    assert!(out(&again).starts_with("not before 20"), "{}", out(&again));
    for due in [&["poll", "--due"][..], &["poll"]] {
        let none_due = wellread(here, &[due, &["--once", "--allow", &place]].concat(), b"");
        assert_eq!((none_due.status.code(), out(&none_due)), (Some(0), String::new()));
        let said = err(&none_due);
        assert!(said.starts_with("Nothing is due before 20") && said.contains(&url), "{said}");
    }
    assert!(done(here, &["export", "--user", "mira"], b"").contains("Tide &amp; Time"));
}

#[test]
fn wrong_calls_exit_with_two_and_failures_with_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    assert_eq!(wellread(here, &["sing"], b"").status.code(), Some(2));
    assert_eq!(wellread(here, &["--budget", "many"], b"").status.code(), Some(2));
    let nobody = wellread(here, &["export", "--user", "nobody"], b"");
    assert_eq!(nobody.status.code(), Some(1));
    assert!(err(&nobody).contains("wellread user add nobody"), "{}", err(&nobody));
    for command in [&["parse", "/nowhere/feeds"][..], &["import", "/nowhere/feeds", "--user", "nobody"]] {
        let unreadable = wellread(here, command, b"");
        assert_eq!(unreadable.status.code(), Some(2), "{command:?}");
        assert!(err(&unreadable).contains("/nowhere/feeds"), "{}", err(&unreadable));
    }
    let refused = wellread(here, &["check-config", "--allow", "nas.lan"], b"");
    assert_eq!(refused.status.code(), Some(1));
    assert!(err(&refused).contains("port"), "{}", err(&refused));
    let unknown = wellread(here, &["poll", "--feed", "http://x.test/"], b"");
    assert!(err(&unknown).contains("wellread add"), "{}", err(&unknown));
}

#[test]
fn check_config_prints_what_is_in_force_and_doctor_finds_a_healthy_house() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("wellread.toml"), "budget = 6.0\n").unwrap();
    let shown = done(folder.path(), &["check-config", "--keep-days", "30"], b"");
    assert!(shown.contains("budget = 6") && shown.contains("keep_days = 30"), "{shown}");
    done(folder.path(), &["migrate"], b"");
    let checked = done(folder.path(), &["doctor", "--listen", "127.0.0.1:0"], b"");
    assert!(!checked.contains("WRONG"), "{checked}");
}

#[cfg(unix)]
#[test]
fn doctor_finds_a_database_that_others_can_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    done(folder.path(), &["migrate"], b"");
    let database = folder.path().join("wellread.sqlite3");
    std::fs::set_permissions(&database, std::fs::Permissions::from_mode(0o644)).unwrap();
    let checked = wellread(folder.path(), &["doctor", "--listen", "127.0.0.1:0"], b"");
    assert_eq!(checked.status.code(), Some(1));
    assert!(
        out(&checked).contains("WRONG database file") && out(&checked).contains("chmod 600"),
        "{}",
        out(&checked)
    );
}

#[test]
fn a_refused_restore_leaves_no_database_behind() {
    let folder = tempfile::tempdir().unwrap();
    let (data, archive) = (folder.path().join("data"), folder.path().join("no.backup"));
    std::fs::write(&archive, "no archive").unwrap();
    let refused = wellread(&data, &["restore", archive.to_str().unwrap()], b"");
    assert_eq!(refused.status.code(), Some(1), "{}", err(&refused));
    assert_eq!(std::fs::read_dir(&data).unwrap().count(), 0);
    done(&data, &["user", "add", "mira", "--password-stdin"], b"correct horse battery\n");
    assert_eq!(wellread(&data, &["restore", archive.to_str().unwrap()], b"").status.code(), Some(1));
    assert!(done(&data, &["user", "list"], b"").contains("mira"), "one that was there stays");
}

#[test]
fn help_teaches() {
    let folder = tempfile::tempdir().unwrap();
    let help = done(folder.path(), &["--help"], b"");
    for word in ["serve", "import", "backup", "doctor", "Examples:", "Exit codes", "WELLREAD_"] {
        assert!(help.contains(word), "{word}");
    }
}

#[test]
fn plan_places_polls_exactly_and_says_what_is_wrong_with_rates() {
    let folder = tempfile::tempdir().unwrap();
    let check = |name: &str, text: &str, more: &[&str]| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        let mut arguments = vec!["plan", "--posting", file.to_str().unwrap()];
        arguments.extend(more);
        let output = wellread(folder.path(), &arguments, b"");
        (output.status.code(), out(&output), err(&output))
    };
    // λ = 2 + 2 sin 2πt on minutes: the best six polls cost .12994844 (a worked example with known numbers).
    let sine: String = (0..1440)
        .map(|slot| {
            let t = (f64::from(slot) + 0.5) / 1440.0;
            format!("{slot},{}\n", 2.0 + 2.0 * (std::f64::consts::TAU * t).sin())
        })
        .collect();
    let (code, printed, said) = check("sine.csv", &sine, &["--polls", "6", "--json"]);
    assert_eq!(code, Some(0), "{said}");
    let json: serde_json::Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(
        (&json["metric"], &json["period_s"], &json["slots"]),
        (&"delay".into(), &86_400.into(), &1440.into())
    );
    let cost = json["cost"].as_f64().unwrap();
    assert!((cost - 0.129_948_44).abs() < 1e-7, "{cost}");
    let minutes: Vec<u64> =
        json["polls"].as_array().unwrap().iter().map(|at| at.as_u64().unwrap() / 60).collect();
    assert_eq!(minutes, [73, 246, 396, 544, 708, 924]);
    assert!(json["cost_uniform"].as_f64().unwrap() > cost);
    let curve: Vec<f64> = json["curve"].as_array().unwrap().iter().map(|d| d.as_f64().unwrap()).collect();
    assert_eq!(curve.len(), 48);
    assert!((curve[0] - 0.681_689_86).abs() < 1e-7 && (curve[5] - cost).abs() < 1e-12);
    assert!(curve.windows(3).all(|d| d[0] + d[2] >= 2.0 * d[1] - 1e-12), "convex");
    let times = "unix_ts\n1699866000\n1699866060\n1699952400\n";
    let (code, table, _) = check("times.csv", times, &["--polls", "1"]);
    assert!(code == Some(0) && table.contains("09:05") && !table.contains("left out"), "{table}");
    // 1970 and the year 5138: neither stretches the days that are counted over.
    let (code, table, _) = check("odd.csv", &format!("{times}12\n99999999999\n"), &["--polls", "1"]);
    assert!(
        code == Some(0) && table.contains("09:05") && table.contains("2 lines were no Unix times from 1990"),
        "{table}"
    );
    let trace = "source_id,unix_ts\na,1699866000\nbroken\nb,1699952400\n";
    let (code, table, _) = check("trace.csv", trace, &["--polls", "1"]);
    assert!(
        code == Some(0) && table.contains("09:05") && table.contains("1 lines were no Unix times"),
        "{table}"
    );
    let nobody: String = (0..24).map(|slot| format!("{slot},0\n")).collect();
    let looks = folder.path().join("nobody.csv");
    std::fs::write(&looks, &nobody).unwrap();
    let never = ["--polls", "2", "--metric", "miss", "--attention", looks.to_str().unwrap()];
    let (code, table, _) = check("hours.csv", &nobody.replace(",0", ",1"), &never);
    assert!(code == Some(0) && table.contains("cost 0.000000") && !table.contains("NaN"), "{table}");
    for (text, more, expected) in [
        ("", vec!["--polls", "2"], "there is nothing in it"),
        ("0,1\n1,2\n", vec!["--polls", "2"], "neither a day"),
        (sine.as_str(), vec!["--polls", "0"], "between 1 and the 1440 slots"),
        (sine.as_str(), vec!["--polls", "2000"], "between 1 and the 1440 slots"),
        (sine.as_str(), vec!["--polls", "2", "--metric", "miss"], "give --attention FILE"),
        (sine.as_str(), vec!["--polls", "2", "--metric", "speed"], "delay, miss and access-delay"),
    ] {
        let (code, _, said) = check("odd.csv", text, &more);
        assert!(code == Some(1) && said.contains(expected), "{said}");
    }
}

/// Four feeds that post once to four times every morning, and two people who look in the evening.
fn small_world(folder: &Path) -> (String, String) {
    const MONDAY: i64 = 1_515_369_600; // 2018-01-08
    let (mut posts, mut accesses) = ("source_id,unix_ts\n".to_owned(), "user_id,unix_ts\n".to_owned());
    for day in 0..30 {
        for (feed, often) in [("a", 1), ("b", 2), ("c", 3), ("d", 4)] {
            for nth in 0..often {
                posts += &format!("{feed},{}\n", MONDAY + day * 86_400 + 9 * 3600 + nth * 4000 + often * 60);
            }
        }
        for (person, hour) in [("mira", 18), ("noor", 20)] {
            accesses += &format!("{person},{}\n", MONDAY + day * 86_400 + hour * 3600);
        }
    }
    posts += "broken\n";
    let [posts_file, accesses_file] = ["posts.csv", "accesses.csv"].map(|name| folder.join(name));
    std::fs::write(&posts_file, posts).unwrap();
    std::fs::write(&accesses_file, accesses).unwrap();
    (posts_file.display().to_string(), accesses_file.display().to_string())
}

#[test]
fn the_laboratory_prints_its_contract_and_refuses_with_sentences() {
    let folder = tempfile::tempdir().unwrap();
    let (posts, accesses) = small_world(folder.path());
    let run = |command: &str, more: &[&str]| {
        let mut arguments =
            vec!["lab", command, "--posts", &posts, "--start", "2018-01-08", "--test-days", "14", "--json"];
        arguments.extend(more);
        wellread(folder.path(), &arguments, b"")
    };
    let json = |command: &str, more: &[&str]| -> serde_json::Value {
        let output = run(command, more);
        assert_eq!(output.status.code(), Some(0), "{command}: {}", err(&output));
        serde_json::from_str(&out(&output)).unwrap()
    };
    let policies = ["--policies", "uniform,sia-combined,wellread"];
    let found = json("schedule", &policies);
    assert_eq!((&found["feeds"], &found["skipped_lines"]), (&4.into(), &1.into()));
    let rows = found["policies"].as_array().unwrap();
    assert_eq!(
        rows.iter().map(|row| row["name"].as_str().unwrap()).collect::<Vec<_>>(),
        ["uniform", "sia-combined", "wellread"]
    );
    for row in rows {
        let used = row["polls_used"].as_f64().unwrap();
        assert!((0.9..1.1).contains(&used), "equal polls: {row}");
        assert!(row["mean_delay_s"].as_f64().unwrap() <= row["max_delay_s"].as_f64().unwrap(), "{row}");
    }
    assert!(
        rows[2]["mean_delay_s"].as_f64() < rows[0]["mean_delay_s"].as_f64(),
        "hours are learned: {rows:?}"
    );
    let points = json("frontier", &policies)["points"].as_array().unwrap().len();
    assert!(points >= 3, "{points}");
    let pushed = json("push", &[]);
    assert!(pushed["pull"].is_array() && pushed["push"][0]["fetches_per_feed_day"].is_number(), "{pushed}");
    let looked = json("access", &["--accesses", &accesses]);
    assert_eq!(looked["readers"], 2, "{looked}");

    for (more, sentence) in [
        (["--polls-per-day", "0"], "must be more than zero"),
        (["--policies", "nonsense"], "there is no policy nonsense"),
        (["--sample", "0"], "--sample"),
    ] {
        let output = run("schedule", &more);
        assert_eq!(output.status.code(), Some(1), "{more:?}");
        assert!(err(&output).contains(sentence), "{more:?}: {}", err(&output));
    }
    std::fs::write(folder.path().join("empty.csv"), "").unwrap();
    let empty = folder.path().join("empty.csv").display().to_string();
    let output = wellread(folder.path(), &["lab", "schedule", "--posts", &empty], b"");
    assert!(output.status.code() == Some(1) && err(&output).contains("no posts"), "{}", err(&output));
}
