//! `/tags`: a person's own tags.

use crate::site::{Site, encoded, posted};
use axum::http::StatusCode;
use store::Mark;

const HOSTILE: &str = "<img src=x onerror=alert(1)>\"'&";

#[tokio::test]
async fn tags_are_counted_renamed_merged_and_removed() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    assert!(mira.get("/tags").await.body.contains("No tags yet"));
    let feed = site.feed(&[&mira], "F", &[posted("One", ""), posted("Two", ""), posted("Three", "")]).await;
    let items = mira.items(feed).await;
    let tag = async |items: &[domain::ItemId], name: &str| {
        site.store.mark(mira.user, items, &Mark::Tag(name.into()), site.now()).await.unwrap();
    };
    tag(&items, "sea").await;
    tag(&items[..2], "water").await;
    let page = mira.get("/tags").await;
    assert!(
        page.body.contains("2 tags, used 5 times") && page.body.contains("href=\"/tag/sea\""),
        "{}",
        page.body
    );
    let renamed = mira.post("/tags/rename", "tag=sea&to=sea+level").await;
    assert!(renamed.header("location").contains("said=renamed"));
    let merged = mira.post("/tags/rename", "tag=water&to=sea+level").await;
    assert!(merged.header("location").contains("said=merged"));
    let tags = site.store.tags(mira.user).await.unwrap();
    assert_eq!(tags.iter().map(|one| (one.tag.as_str(), one.items)).collect::<Vec<_>>(), [("sea level", 3)]);
    let told = mira.get(merged.header("location")).await;
    assert!(told.body.contains("“water” was merged into “sea level”"), "{}", told.body);
    for to in ["", "+", "a,b", &"x".repeat(101)] {
        let answer = mira.post("/tags/rename", &format!("tag=sea+level&to={to}")).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{to}");
    }
    let told = mira.send("/tags/rename", "tag=sea+level&to=a,b").await;
    assert!(told.json()["error"].as_str().unwrap().contains("without a comma"), "{}", told.body);
    let removed = mira.post("/tags/remove", "tag=sea+level").await;
    assert!(site.store.tags(mira.user).await.unwrap().is_empty());
    let told = mira.get(removed.header("location")).await;
    let token = told.body.split("name=\"token\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
    let taken_back = mira.post("/undo", &format!("token={}&back=/tags", token.expect("an undo"))).await;
    assert_eq!(taken_back.header("location"), "/tags");
    assert_eq!(site.store.tags(mira.user).await.unwrap()[0].items, 3);
}

#[tokio::test]
async fn a5_somebody_elses_tag_is_no_tag() {
    let site = Site::new().await;
    let (mira, eve) = (site.person("mira").await, site.person("eve").await);
    let feed = site.feed(&[&mira], "F", &[posted("One", "")]).await;
    site.store.mark(mira.user, &mira.items(feed).await, &Mark::Tag("own".into()), site.now()).await.unwrap();
    for tag in ["own", "never-was"] {
        assert_eq!(eve.post("/tags/remove", &format!("tag={tag}")).await.status, StatusCode::NOT_FOUND);
        assert_eq!(eve.post("/tags/rename", &format!("tag={tag}&to=x")).await.status, StatusCode::NOT_FOUND);
    }
    assert!(!eve.get("/tags").await.body.contains(">own<"));
    assert_eq!(site.store.tags(mira.user).await.unwrap().len(), 1);
}

#[tokio::test]
async fn x2_a_hostile_tag_name_is_text_and_its_link_still_works() {
    let site = Site::new().await;
    let mira = site.person("mira").await;
    let feed = site.feed(&[&mira], "F", &[posted("One", "")]).await;
    site.store
        .mark(mira.user, &mira.items(feed).await, &Mark::Tag(HOSTILE.into()), site.now())
        .await
        .unwrap();
    let page = mira.get("/tags").await;
    assert!(page.body.contains("&#60;img src=x") && !page.body.contains("<img src=x"), "{}", page.body);
    let href = page.body.split("class=\"plain-link\" href=\"").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(mira.get(href).await.status, StatusCode::OK, "{href}");
    let told = mira.get(&format!("/tags?said=removed&from={}", encoded(HOSTILE))).await;
    assert!(!told.body.contains("<img src=x"));
}
