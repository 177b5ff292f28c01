//! `/admin` and the one-time link: accounts, the emergency stop, the budget, and who is left alone.

use crate::site::{Site, encoded, posted, secret};
use axum::http::StatusCode;

#[tokio::test]
async fn the_operator_sees_who_reads_what_fails_and_what_takes_room() {
    let site = Site::new().await;
    let (root, mira) = (site.admin("root").await, site.person("mira").await);
    site.feed(&[&mira, &root], "Harbour Ledger", &[posted("One", "<p>text</p>")]).await;
    let page = root.get("/admin").await;
    assert_eq!(page.status, StatusCode::OK);
    for part in [
        "2 people, 1 feed, 1 item.",
        ">mira<",
        "The database is",
        "Every feed answers",
        "https://f",
        "100 % of the polls brought something new",
    ] {
        assert!(page.body.contains(part), "{part}: {}", page.body);
    }
    assert_eq!(mira.get("/admin").await.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn n29_one_switch_halts_all_fetching_and_every_page_says_so() {
    let site = Site::new().await;
    let (root, mira) = (site.admin("root").await, site.person("mira").await);
    assert!(!mira.get("/unread").await.body.contains("class=\"halted\""));
    assert_eq!(mira.post("/admin/halt", "halted=true").await.status, StatusCode::FORBIDDEN);
    assert!(!site.store.halted().await.unwrap());
    root.post("/admin/halt", "halted=true").await;
    assert!(site.store.halted().await.unwrap());
    for path in ["/unread", "/settings", "/rules", "/tags"] {
        assert!(mira.get(path).await.body.contains("class=\"halted\""), "{path}");
    }
    root.post("/admin/halt", "halted=false").await;
    assert!(
        !site.store.halted().await.unwrap() && !mira.get("/unread").await.body.contains("class=\"halted\"")
    );
}

#[tokio::test]
async fn n29_requests_per_provider_are_on_the_page() {
    let site = Site::new().await;
    let root = site.admin("root").await;
    let feed = site.feed(&[&root], "F", &[posted("One", "")]).await;
    let provider = site.store.feed_schedule(feed).await.unwrap().unwrap().provider;
    let page = root.get("/admin").await;
    assert!(
        page.body.contains(&format!("<td>{provider}</td><td class=\"r\">1</td><td class=\"r\">1</td>")),
        "{}",
        page.body
    );
}

#[tokio::test]
async fn n26_hosts_that_opted_out_are_kept_and_nonsense_is_refused_with_a_sentence() {
    let site = Site::new().await;
    let (root, mira) = (site.admin("root").await, site.person("mira").await);
    let form = format!("hosts={}", encoded("Example.org\r\nhttps://blog.test/feed"));
    assert_eq!(mira.post("/admin/opted-out", &form).await.status, StatusCode::FORBIDDEN);
    root.post("/admin/opted-out", &form).await;
    let kept = site.store.setting(serve::OPTED_OUT_SETTING).await.unwrap();
    assert_eq!(kept.as_deref(), Some("blog.test\nexample.org"));
    let refused = root.post("/admin/opted-out", &format!("hosts={}", encoded("fine.test\nho<st"))).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(
        refused.body.contains("“ho&#60;st” is no host name") && refused.body.contains("fine.test"),
        "{}",
        refused.body
    );
    root.post("/admin/opted-out", "hosts=").await;
    assert_eq!(site.store.setting(serve::OPTED_OUT_SETTING).await.unwrap(), None);
}

#[tokio::test]
async fn the_budget_is_a_setting_of_the_store_and_publishers_are_told_the_one_in_force() {
    let site = Site::new().await;
    let root = site.admin("root").await;
    root.post("/admin/budget", "budget=24").await;
    assert_eq!(site.store.setting(serve::BUDGET_SETTING).await.unwrap().as_deref(), Some("24"));
    assert!(site.get("/about-fetcher").await.body.contains("On average 24 times a day"));
    for odd in ["0", "-3", "1000", "many"] {
        assert_eq!(
            root.post("/admin/budget", &format!("budget={odd}")).await.status,
            StatusCode::UNPROCESSABLE_ENTITY
        );
    }
    root.post("/admin/budget", "budget=").await;
    assert_eq!(site.store.setting(serve::BUDGET_SETTING).await.unwrap(), None);
}

#[tokio::test]
async fn whether_repeats_count_less_is_switched_by_an_administrator_and_off_at_first() {
    let site = Site::new().await;
    let (root, mira) = (site.admin("root").await, site.person("mira").await);
    let setting = || site.store.setting(domain::planning::NOVELTY_SETTING);
    assert!(!root.get("/admin").await.body.contains("name=\"novelty\" value=\"true\" checked"));
    assert_eq!(mira.post("/admin/novelty", "novelty=true").await.status, StatusCode::FORBIDDEN);
    assert_eq!(setting().await.unwrap(), None);
    root.post("/admin/novelty", "novelty=true").await;
    assert_eq!(setting().await.unwrap().as_deref(), Some("on"));
    assert!(root.get("/admin").await.body.contains("name=\"novelty\" value=\"true\" checked"));
    root.post("/admin/novelty", "novelty=false").await;
    assert_eq!(setting().await.unwrap(), None);
}

#[tokio::test]
async fn a_new_person_chooses_a_password_by_a_link_that_works_once() {
    let site = Site::new().await;
    let root = site.admin("root").await;
    let made = root.post("/admin/people", "name=nora&password=").await;
    let link = made.body.split("class=\"secret\">").nth(1).unwrap().split('<').next().unwrap();
    let path = link.strip_prefix("http://reader.example").unwrap().to_owned();
    let token = path.split_once("token=").unwrap().1.to_owned();
    assert!(site.get(&path).await.body.contains("nora"));
    let form =
        |token: &str, password: &str| format!("token={token}&password={0}&again={0}", encoded(password));
    assert_eq!(site.post("/join", &form(&token, "short")).await.status, StatusCode::UNPROCESSABLE_ENTITY);
    let joined = site.post("/join", &form(&token, "a long new password")).await;
    assert_eq!(joined.status, StatusCode::SEE_OTHER, "{}", joined.body);
    assert!(joined.header("set-cookie").contains("HttpOnly"));
    let nora = site.store.user_by_name("nora").await.unwrap().unwrap();
    let hash = site.store.password_hash(nora.id).await.unwrap().unwrap();
    assert!(serve::password::verify(&secret("a long new password"), &hash));
    for gone in [token.as_str(), "", "1.x", "x.y", &format!("{}.{}", nora.id, "0".repeat(64))] {
        assert_eq!(site.get(&format!("/join?token={gone}")).await.status, StatusCode::NOT_FOUND, "{gone}");
        assert_eq!(site.post("/join", &form(gone, "another password")).await.status, StatusCode::NOT_FOUND);
    }
}

#[tokio::test]
async fn a_link_ends_after_a_week_with_a_newer_one_and_with_the_account() {
    let site = Site::new().await;
    let (root, mira) = (site.admin("root").await, site.person("mira").await);
    let link = async || {
        let page = root.post(&format!("/admin/people/{}", mira.user), "do=link").await;
        page.body.split("join?token=").nth(1).unwrap().split('<').next().unwrap().to_owned()
    };
    let works = async |token: &str| site.get(&format!("/join?token={token}")).await.status == StatusCode::OK;
    let (first, second) = (link().await, link().await);
    assert!(!works(&first).await && works(&second).await);
    site.wait(7 * 86_400 + 1);
    assert!(!works(&second).await);
}

#[tokio::test]
async fn a2_what_somebody_may_do_changes_with_a_new_session_and_locking_out_is_at_once() {
    let site = Site::new().await;
    let (root, mira) = (site.admin("root").await, site.person("mira").await);
    let path = format!("/admin/people/{}", mira.user);
    root.post(&path, "do=admin").await;
    assert_eq!(mira.get("/unread").await.status, StatusCode::SEE_OTHER, "signed out by the change");
    let mira = site.signed_in(mira.user).await;
    assert_eq!(mira.get("/admin").await.status, StatusCode::OK);
    root.post(&path, "do=disable").await;
    assert_eq!(mira.get("/unread").await.status, StatusCode::SEE_OTHER);
    root.post(&path, "do=enable").await;
    assert_eq!(site.signed_in(mira.user).await.get("/unread").await.status, StatusCode::OK);
}

#[tokio::test]
async fn the_last_administrator_stays_and_removing_needs_the_name() {
    let site = Site::new().await;
    let (root, mira) = (site.admin("root").await, site.person("mira").await);
    let own = format!("/admin/people/{}", root.user);
    for what in ["do=reader", "do=disable", "do=remove&name=root"] {
        let answer = root.post(&own, what).await;
        assert_eq!(answer.status, StatusCode::CONFLICT, "{what}");
        assert!(answer.body.contains("last administrator"), "{}", answer.body);
    }
    let path = format!("/admin/people/{}", mira.user);
    assert_eq!(root.post(&path, "do=remove&name=mirror").await.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(root.post(&path, "do=drop").await.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(site.names().await.len(), 2);
    assert_eq!(root.post(&path, "do=remove&name=mira").await.status, StatusCode::SEE_OTHER);
    assert_eq!(site.names().await, ["root"]);
}

#[tokio::test]
async fn a7_a_reader_made_by_the_form_is_no_administrator_whatever_else_is_sent() {
    let site = Site::new().await;
    let root = site.admin("root").await;
    let form = "name=eve&password=long+enough+password&is_admin=true&id=1&role=admin";
    assert_eq!(root.post("/admin/people", form).await.status, StatusCode::SEE_OTHER);
    assert!(!site.store.user_by_name("eve").await.unwrap().unwrap().is_admin);
    let taken = root.post("/admin/people", form).await;
    assert_eq!(taken.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(taken.body.contains("already is an account") && !taken.body.contains("long enough password"));
}
