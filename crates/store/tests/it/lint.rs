//! SQL is constants and bound parameters, in this crate and in every other (O6).

use std::fs;
use std::path::{Path, PathBuf};

/// Where SQL that is not a plain constant may stand, how often, and why.
const ALLOWED: &[(&str, usize)] = &[
    // The text of the migrations, with their few words per database.
    ("store/src/migrate.rs", 3),
    // PRAGMA takes no parameters; the value is a number.
    ("store/src/sql.rs", 2),
    // Tests: EXPLAIN before a constant, and a schema of their own.
    ("store/src/statements.rs", 12),
    ("store/src/migrate/tests.rs", 6),
    // A benchmark's own tables, filled by the thousand; every value is bound.
    ("lab/src/buzz/sqlite.rs", 2),
];

const VERBS: [&str; 9] =
    ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "PRAGMA ", "EXPLAIN ", "CREATE ", "DROP ", "ALTER "];

/// Lines that build SQL from text: asserted to be safe, formatted, or pushed together.
fn suspicious(source: &str) -> usize {
    let builds = |line: &str| {
        let built = ["format!(\"", "push_str(\"", "+ \"", "write!(", "QueryBuilder"]
            .iter()
            .any(|how| line.contains(how));
        line.contains("AssertSqlSafe")
            || line.contains("QueryBuilder")
            || (built && VERBS.iter().any(|verb| line.contains(verb)))
    };
    source.lines().filter(|line| !line.trim_start().starts_with("//")).filter(|line| builds(line)).count()
}

fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn o6_no_sql_is_built_from_text() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for entry in fs::read_dir(crates).unwrap() {
        let src = entry.unwrap().path().join("src");
        if src.is_dir() {
            sources(&src, &mut files);
        }
    }
    assert!(files.len() > 10);
    for file in files {
        let name = file.strip_prefix(crates).unwrap().to_string_lossy().replace('\\', "/");
        let allowed = ALLOWED.iter().find(|(path, _)| *path == name).map_or(0, |(_, count)| *count);
        let found = suspicious(&fs::read_to_string(&file).unwrap());
        assert!(found <= allowed, "{name} builds SQL from text in {found} places; bind parameters instead");
    }
}

#[test]
fn o6_the_lint_finds_what_it_is_for() {
    assert_eq!(suspicious(r#"let q = format!("SELECT * FROM item WHERE id = {id}");"#), 1);
    assert_eq!(suspicious(r#"text.push_str("DELETE FROM item");"#), 1);
    assert_eq!(suspicious("sqlx::query(AssertSqlSafe(text))"), 1);
    assert_eq!(suspicious(r#"const Q: Sql = sql!("reading", "SELECT 1");"#), 0);
}

#[test]
fn o6_hostile_text_in_every_parameter_is_only_text() {
    use crate::stage::*;
    on_both(|stage| async move {
        let evil = "x'); DROP TABLE item; --\\\" \0 %_ $1 {ID} ' OR '1'='1";
        let user = stage.store.add_user(evil, Some(evil), false, at(0)).await.unwrap();
        let mut wish = wish("https://a.example/feed");
        wish.subscription.url = format!("https://a.example/{evil}");
        wish.subscription.title = Some(evil.into());
        wish.subscription.folder = vec![evil.into()];
        wish.provider = evil.into();
        let feed = stage.store.subscribe(user, &wish, at(0), at(0)).await.unwrap().feed;
        let mut item = document_item(1);
        item.title = Some(evil.into());
        let write = store::ItemWrite::new(
            &item,
            store::ItemKind::New { sort_at: at(1), unread: true },
            domain::Preview::default(),
        );
        let items = stage.poll(feed, at(1), vec![write]).await.new_items;
        stage.store.mark(user, &items, &store::Mark::Tag(evil.into()), at(2)).await.unwrap();
        stage.store.set_setting(evil, Some(evil)).await.unwrap();
        let clean = evil.replace('\0', "");
        assert_eq!(stage.store.users().await.unwrap()[0].name, clean);
        assert_eq!(stage.store.folders(user).await.unwrap()[0].name, clean);
        assert_eq!(stage.store.setting(evil).await.unwrap(), Some(clean.clone()));
        assert_eq!(
            stage.store.item(user, items[0]).await.unwrap().unwrap().tags,
            std::slice::from_ref(&clean)
        );
        assert_eq!(stage.titles(user, store::Scope::All, true).await, [clean]);
        stage.assert_sound().await;
    });
}
