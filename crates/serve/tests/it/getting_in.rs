//! First run, subscribing, importing, packs.

use crate::site::{Answer, Person, Site, encoded, posted};
use axum::http::{Method, StatusCode};
use domain::FeedId;
use serve::{Candidate, Followed, NotFound};

const HOSTILE: &str = "<img src=x onerror=alert(1)>";

/// A browser's upload of one file.
async fn upload(mira: &Person<'_>, name: &str, file: &str, accept: &str) -> Answer {
    let body = format!(
        "--edge\r\ncontent-disposition: form-data; name=\"back\"\r\n\r\n/welcome\r\n--edge\r\n\
         content-disposition: form-data; name=\"file\"; filename=\"{name}\"\r\ncontent-type: text/x-opml\r\n\r\n\
         {file}\r\n--edge--\r\n"
    );
    let headers = [
        ("cookie", mira.cookie.as_str()),
        ("sec-fetch-site", "same-origin"),
        ("accept", accept),
        ("content-type", "multipart/form-data; boundary=edge"),
    ];
    mira.site.ask(Method::POST, "/import", &headers, &body).await
}

fn opml(feeds: usize) -> String {
    let mut text = String::from("<opml version=\"2.0\"><body>");
    for number in 0..feeds {
        text.push_str(&format!("<outline xmlUrl=\"http://a{number}.test/\"/>"));
    }
    text + "</body></opml>"
}

#[tokio::test]
async fn the_first_page_offers_three_ways_in() {
    let site = Site::new().await;
    site.set_up("mira").await;
    let mira = site.signed_in(site.store.user_by_name("mira").await.unwrap().unwrap().id).await;
    let page = mira.get("/welcome").await;
    assert_eq!(page.status, StatusCode::OK);
    for words in
        ["Welcome, mira. What do you read?", "Bring your feeds", "Add an address", "Start from a pack"]
    {
        assert!(page.body.contains(words), "{words}");
    }
    assert!(page.body.contains("enctype=\"multipart/form-data\""), "a file field works without scripts");
    assert!(site.desk.asked.lock().unwrap().is_empty(), "looking at the page asks nobody");
}

#[tokio::test]
async fn an_address_is_looked_at_and_what_is_found_is_offered() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let found = |url: &str, title: &str| Candidate {
        url: url.into(),
        title: Some(title.into()),
        kind: "linked".into(),
    };
    *site.desk.found.lock().unwrap() =
        Some(Ok(vec![found("https://a.test/feed", "Slow Compiler"), found("https://a.test/notes", HOSTILE)]));
    for path in ["/subscribe?url=a.test", "/welcome?url=a.test", "/part/candidates?url=a.test"] {
        let page = mira.get(path).await;
        assert!(page.body.contains("Slow Compiler") && page.body.contains("https://a.test/notes"), "{path}");
        assert!(!page.body.contains("<img src=x"), "x2 {path}");
    }
    assert_eq!(site.desk.asked.lock().unwrap().as_slice(), ["find a.test", "find a.test", "find a.test"]);
    // A phone shares a text with an address in it.
    mira.get(&format!("/subscribe?text={}", encoded("Read this: https://b.test/x now"))).await;
    assert_eq!(site.desk.asked.lock().unwrap().last().unwrap(), "find https://b.test/x");
    assert!(site.store.subscriptions(mira.user).await.unwrap().is_empty(), "looking changes nothing");
}

#[tokio::test]
async fn following_goes_into_the_chosen_folder_and_can_be_taken_back() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let feed = site.feed(&[&mira], "Slow Compiler", &[]).await;
    let outer = site.store.add_folder(mira.user, None, "Work").await.unwrap();
    let inner = site.store.add_folder(mira.user, Some(outer), "Tools").await.unwrap();
    *site.desk.followed.lock().unwrap() = Some(Ok(Followed { feed, was_subscribed: false }));
    let answer = mira.post("/subscribe", &format!("url=a.test&folder={inner}&back=/welcome")).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
    assert!(site.desk.asked.lock().unwrap().iter().any(|asked| asked.contains(r#"["Work", "Tools"]"#)));
    let page = mira.get(answer.header("location")).await;
    assert!(page.body.contains("You now follow Slow Compiler."), "{}", page.body);
    let undo =
        page.body.split("name=\"undo\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    mira.post("/feeds", &format!("undo={undo}&back=/welcome")).await;
    assert!(site.store.subscriptions(mira.user).await.unwrap().is_empty());
}

#[tokio::test]
async fn what_cannot_be_followed_says_why_and_what_is_several_is_chosen_from() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    *site.desk.followed.lock().unwrap() = Some(Err(NotFound::Because(format!("No feed there. {HOSTILE}"))));
    let page = mira.post("/subscribe", "url=a.test").await;
    assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(page.body.contains("No feed there.") && !page.body.contains("<img src=x"), "{}", page.body);
    assert_eq!(mira.send("/subscribe", "url=a.test").await.json()["ok"], false);
    *site.desk.followed.lock().unwrap() = Some(Err(NotFound::Several(vec![])));
    assert_eq!(mira.post("/subscribe", "url=a.test").await.header("location"), "/subscribe?url=a.test");
    // Somebody else's folder is like none at all.
    let eve = site.person("eve").await;
    let theirs = site.store.add_folder(eve.user, None, "Eve's").await.unwrap();
    let answer = mira.post("/subscribe", &format!("url=a.test&folder={theirs}")).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn an_import_shows_how_far_it_is_and_can_be_taken_back_as_a_whole() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let own = site.feed(&[&mira], "Mine already", &[]).await;
    let url = site.store.feed(own).await.unwrap().unwrap().url;
    let file = format!(
        "<opml version=\"2.0\"><body><outline text=\"{}\"><outline xmlUrl=\"https://a.test/\"/>\
         <outline xmlUrl=\"https://b.test/\"/></outline><outline xmlUrl=\"{url}\"/>\
         <outline text=\"x\" xmlUrl=\"ftp://c.test/\"/></body>",
        "&lt;img src=x onerror=alert(1)&gt;"
    );
    let answer = upload(&mira, "feeds-2026.opml", &file, "text/html").await;
    assert_eq!((answer.status, answer.header("location")), (StatusCode::SEE_OTHER, "/welcome"));
    assert_eq!(site.store.subscriptions(mira.user).await.unwrap().len(), 3);
    let page = mira.get("/welcome").await;
    assert!(
        page.body.contains("0 of 2 feeds"),
        "what was followed before is not of this import: {}",
        page.body
    );
    assert!(page.body.contains("feeds-2026.opml") && page.body.contains("Undo this import"));
    assert!(!page.body.contains("<img src=x"), "x2: the folder of a file is text");
    assert!(
        page.body.contains("ftp://c.test/") && page.body.contains("The file ends early"),
        "{}",
        page.body
    );

    let first =
        site.store.subscriptions(mira.user).await.unwrap().iter().map(|one| one.feed.id).max().unwrap();
    site.poll(first, "A fresh one", &[posted("Just in", "")]).await;
    let id = site.store.newest_import(mira.user).await.unwrap().unwrap();
    let part = mira.get(&format!("/import/{id}")).await;
    assert!(part.body.contains("1 of 2 feeds") && part.body.contains("Just in"), "{}", part.body);
    assert!(!part.body.contains("<html"), "a part for scripts");

    site.wait(2 * 86_400);
    assert!(mira.get("/welcome").await.body.contains("1 of 2 feeds"), "shown as long as it is under way");
    mira.post(&format!("/import/{id}/undo"), "back=/welcome").await;
    let left = site.store.subscriptions(mira.user).await.unwrap();
    assert_eq!(left.iter().map(|one| one.feed.id).collect::<Vec<_>>(), [own]);
    assert!(site.store.folders(mira.user).await.unwrap().is_empty(), "its empty folder goes with it");
    assert_eq!(mira.get(&format!("/import/{id}")).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn o1_an_import_of_100_000_feeds_keeps_the_first_5_000_and_says_so() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let answer = upload(&mira, "many.opml", &opml(100_000), "application/json").await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    let json = answer.json();
    assert_eq!((&json["new"], &json["left_out"]), (&5_000.into(), &95_000.into()));
    assert_eq!(site.store.subscriptions(mira.user).await.unwrap().len(), 5_000);
    let page = mira.get("/subscribe").await;
    let sentence = "Kept the first 5,000 of 100,000; raise subscriptions_max in the configuration";
    assert!(page.body.contains(sentence), "{sentence}");
    // They enter the queue a few a second, not all at once.
    let due = site.store.overdue(site.now()).await.unwrap();
    assert!(due <= 1, "{due} feeds are due at once");
    // Reading the same file again adds nothing and takes nothing.
    let again = upload(&mira, "many.opml", &opml(5_000), "application/json").await.json();
    assert_eq!((&again["new"], &again["known"]), (&0.into(), &5_000.into()));
}

#[tokio::test]
async fn o1_a_file_that_is_too_large_or_no_list_is_refused_with_a_next_step() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let large = "x".repeat((5 << 20) + 1);
    for (file, sentence) in [
        (large.as_str(), "larger than 5 MB"),
        ("<rss><channel></channel></rss>", "This is a feed, not a list"),
        ("<!doctype html><html><body>x</body></html>", "This is a web page, not a list"),
        ("", "is empty"),
        ("<opml><body></body></opml>", "no feed in this file"),
    ] {
        let answer = upload(&mira, "a.opml", file, "text/html").await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{sentence}");
        assert!(answer.body.contains(sentence), "{sentence}: {}", answer.body);
        let json = upload(&mira, "a.opml", file, "application/json").await.json();
        assert!(json["error"].as_str().unwrap().contains(sentence), "{json}");
    }
    let broken = mira.post("/import", "file=x").await;
    assert!(broken.status.is_client_error(), "{}", broken.status);
    assert!(site.store.subscriptions(mira.user).await.unwrap().is_empty());
}

#[tokio::test]
async fn o5_the_export_holds_everything_under_a_name_of_ours() {
    let site = Site::new().await;
    let mira = site.person("../../mira").await;
    let file = "<opml><body><outline text=\"Work\"><outline text=\"Deep\"><outline text=\"A\" \
                xmlUrl=\"https://a.test/\"/></outline></outline></body></opml>";
    upload(&mira, "a.opml", file, "text/html").await;
    let export = mira.get("/export.opml").await;
    assert_eq!(export.header("content-disposition"), "attachment; filename=\"wellread.opml\"");
    let limits = domain::Limits::default();
    let read = parse::opml::read_opml(&export.bytes, &limits).unwrap();
    assert_eq!(read.subscriptions[0].folder, ["Work", "Deep"]);
    assert_eq!(read.subscriptions[0].url, "https://a.test/");
}

#[tokio::test]
async fn a_pack_is_followed_and_undone_in_one_step_each() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let answer = mira.post("/pack", "pack=comics&back=/welcome").await;
    assert_eq!(answer.header("location"), "/welcome");
    assert!(site.store.subscriptions(mira.user).await.unwrap().len() >= 8);
    assert!(mira.get("/welcome").await.body.contains("Added"));
    let again = mira.post("/pack", "pack=comics&back=/welcome").await;
    assert!(
        mira.get(again.header("location")).await.body.contains("You follow all 8 of these feeds already.")
    );
    let id = site.store.newest_import(mira.user).await.unwrap().unwrap();
    mira.post(&format!("/import/{id}/undo"), "back=/welcome").await;
    assert!(site.store.subscriptions(mira.user).await.unwrap().is_empty());
    assert_eq!(mira.post("/pack", "pack=none").await.status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn x4_the_bookmarklet_holds_our_own_address_and_nothing_from_the_request() {
    let site = Site::under("/reader").await;
    let mira = site.person("mira").await;
    let page = mira.get("/reader/subscribe").await;
    let links: Vec<&str> = page.body.split("href=\"javascript:").skip(1).collect();
    let [link] = links.as_slice() else { panic!("one bookmarklet: {}", links.len()) };
    assert!(
        link.starts_with("location.href=&#39;http://reader.example/reader/subscribe?url=&#39;"),
        "{link}"
    );
    let headers = [("cookie", mira.cookie.as_str()), ("host", "x';alert(1)//"), ("accept", "text/html")];
    let page = site.ask(Method::GET, "/reader/subscribe", &headers, "").await;
    assert!(!page.body.contains("alert(1)"), "a host is only a host");
    assert_eq!(
        mira.get("/reader/subscribe?url=javascript:alert(1)")
            .await
            .body
            .matches("href=\"javascript:")
            .count(),
        1
    );
    assert_eq!(site.store.feed(FeedId(1)).await.unwrap(), None);
}
