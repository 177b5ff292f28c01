//! Routes with ids that other pages add to the isolation test, and the objects they name.

use crate::site::{Person, Site};
use domain::{Condition, FeedId, Pattern, RuleAction, RuleField, RuleOrder, RuleScope};
use store::NewImport;

/// See [`crate::isolation`]: the kind of object and the form to send.
pub(crate) fn more(path: &str) -> Option<(&'static str, &'static str)> {
    Some(match path {
        "/import/{id}" => ("import", ""),
        "/import/{id}/undo" => ("import", "back=/welcome"),
        "/feed/{id}/about" => ("feed", ""),
        "/feed/{id}/refresh" => ("feed", "back=/feeds"),
        "/feed/{id}/edit" => ("feed", "settings=1&title=Mine"),
        "/folders/{id}" => ("folder", "do=rename&name=Mine"),
        "/rules/{id}" => ("rule", "pattern0=mine&action=star"),
        "/rules/{id}/switch" => ("rule", "on=false"),
        "/rules/{id}/remove" => ("rule", ""),
        "/settings/sessions/{id}/end" => ("session", ""),
        "/settings/tokens/{id}/remove" => ("token", ""),
        "/saved/{id}" => ("search", "name=Mine"),
        "/saved/{id}/remove" => ("search", "back=%2Fsearch"),
        "/item/{id}/share" => ("item", "note=mine"),
        "/item/{id}/withdraw" => ("item", ""),
        "/friends/requests/{id}/agree" | "/friends/requests/{id}/refuse" => ("request to her", ""),
        "/friends/requests/{id}/take-back" => ("request of hers", ""),
        "/friends/{id}/leave" | "/friends/{id}/remove" => ("person", ""),
        "/saved/{id}/seen" => ("search", "to=99"),
        "/admin/people/{id}" => ("person", "do=disable"),
        _ => return None,
    })
}

/// Further objects of `owner`, by kind.
pub(crate) async fn make(site: &Site, owner: &Person<'_>, feed: FeedId) -> Vec<(&'static str, i64)> {
    let brought = NewImport { name: "Mira's file", feeds: &[feed], ..NewImport::default() };
    let import = site.store.add_import(owner.user, &brought, site.now()).await.unwrap();
    let condition =
        Condition { field: RuleField::Title, pattern: Pattern::Phrase("Secret".into()), negated: false };
    let order =
        RuleOrder { scope: RuleScope::Everything, conditions: vec![condition], action: RuleAction::Star };
    let rule = site.store.add_rule(owner.user, &order, site.now()).await.unwrap();
    let session = site.store.sessions(owner.user, site.now()).await.unwrap()[0].id;
    site.store.add_token(owner.user, "Mira's app", [7; 32], site.now()).await.unwrap();
    let token = site.store.tokens(owner.user).await.unwrap()[0].id;
    let seen_to = domain::ItemId(0);
    let search = site
        .store
        .add_saved_search(owner.user, "Mira's search", "secret", seen_to, site.now())
        .await
        .unwrap();
    let friend = site.person("friend").await;
    site.store.ask_to_follow(friend.user, "mira", site.now()).await.unwrap();
    site.store.ask_to_follow(owner.user, "friend", site.now()).await.unwrap();
    let requests = site.store.friends(owner.user, site.now()).await.unwrap();
    site.store.share(owner.user, owner.items(feed).await[0], "Secret note", site.now()).await.unwrap();
    vec![
        ("request to her", requests.waiting[0].id),
        ("request of hers", requests.asked[0].id),
        ("search", search.0),
        ("import", import.0),
        ("rule", rule.0),
        ("session", session.0),
        ("token", token),
        ("person", owner.user.0),
    ]
}
