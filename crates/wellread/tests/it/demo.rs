//! `wellread demo` from outside: it opens, lets its people in, has something to read, and leaves nothing behind.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

/// A running demo with what it printed; killed when the test ends early.
struct Demo {
    child: Child,
    /// Kept open: whoever prints into a closed pipe dies.
    _out: BufReader<ChildStdout>,
    host: String,
    password: String,
}

impl Demo {
    fn start(temporary: &Path) -> Demo {
        let mut child = Command::new(env!("CARGO_BIN_EXE_wellread"))
            .args(["demo", "--feeds", "12", "--days", "8", "--listen", "127.0.0.1:0", "--at", "1791740400"])
            .env_clear()
            .env("TMPDIR", temporary)
            .env("HOME", temporary)
            // A real server's settings must not matter to the demo.
            .env("WELLREAD_DATABASE_URL", "postgres://nobody@127.0.0.1:1/nothing")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (mut host, mut password) = (String::new(), String::new());
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while password.is_empty() {
            line.clear();
            assert!(out.read_line(&mut line).unwrap() > 0, "the demo ended early");
            if let Some(address) = line.trim().strip_prefix("http://") {
                host = address.trim_end_matches('/').to_owned();
            }
            if let Some(word) = line.trim().strip_prefix("password") {
                password = word.trim().to_owned();
            }
        }
        assert!(!host.is_empty() && password.len() >= 10, "it says where and how: {host:?}");
        Demo { child, _out: out, host, password }
    }

    fn ask(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.write_all(request.replace("{host}", &self.host).as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn sign_in(&self, name: &str) -> String {
        let form = format!("name={name}&password={}", self.password);
        let answer = self.ask(&format!(
            "POST /login HTTP/1.1\r\nHost: {{host}}\r\nOrigin: http://{{host}}\r\nConnection: close\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{form}",
            form.len()
        ));
        assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
        let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        cookie.split(';').next().unwrap().to_owned()
    }

    fn page(&self, cookie: &str, path: &str) -> String {
        self.ask(&format!(
            "GET {path} HTTP/1.1\r\nHost: {{host}}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
        ))
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_demo_opens_with_history_for_two_people_and_leaves_nothing_behind() {
    let temporary = tempfile::tempdir().unwrap();
    let mut demo = Demo::start(temporary.path());
    for name in ["mira", "tobias"] {
        let cookie = demo.sign_in(name);
        let list = demo.page(&cookie, "/newest");
        assert!(list.contains("class=\"row"), "{name} has something to read");
    }
    let cookie = demo.sign_in("mira");
    assert!(demo.page(&cookie, "/starred").contains("class=\"row"), "mira has read and starred");
    assert!(demo.page(&cookie, "/rules").contains("petition"), "mira has rules");
    assert!(demo.page(&cookie, "/admin").starts_with("HTTP/1.1 200"), "mira looks after the server");
    let tobias = demo.sign_in("tobias");
    assert!(!demo.page(&tobias, "/admin").starts_with("HTTP/1.1 200"), "tobias does not");

    #[cfg(unix)]
    {
        let ended = Command::new("kill").args(["-TERM", &demo.child.id().to_string()]).status().unwrap();
        assert!(ended.success());
        assert!(demo.child.wait().unwrap().success());
        assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 0, "the temporary folder is gone");
    }
}

#[test]
fn a_demo_never_writes_over_another() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("demo.sqlite3"), "somebody's").unwrap();
    let refused = Command::new(env!("CARGO_BIN_EXE_wellread"))
        .args(["demo", "--feeds", "2", "--listen", "127.0.0.1:0", "--data-dir"])
        .arg(folder.path())
        .env_clear()
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("another folder"));
    assert_eq!(std::fs::read_to_string(folder.path().join("demo.sqlite3")).unwrap(), "somebody's");
}
