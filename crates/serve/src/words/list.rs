//! Lists of items.

use super::words;

words!(List {
    n_unread: "{n} unread|{n} unread", "{n} ungelesen|{n} ungelesen";
    is_unread: "unread", "ungelesen";
    star: "Star", "Markieren";
    unstar: "Starred", "Markiert";
    untitled: "Untitled", "Ohne Titel";
    unknown_feed: "A feed you no longer follow", "Ein Feed, dem du nicht mehr folgst";
    older: "Older items", "Ältere Einträge";
    later: "Later items", "Spätere Einträge";
    n_new: "{n} new|{n} new", "{n} neu|{n} neu";
    density: "Density", "Dichte";
    density_titles: "Titles", "Titel";
    density_normal: "Normal", "Normal";
    density_cards: "Cards with pictures", "Karten mit Bildern";
    mark_all: "Mark all read", "Alle als gelesen";
    mark_menu: "Mark as read", "Als gelesen markieren";
    mark_day: "Older than a day", "Älter als ein Tag";
    mark_week: "Older than a week", "Älter als eine Woche";
    marked_all: "{n} item marked read|{n} items marked read", "{n} Eintrag gelesen|{n} Einträge gelesen";
    nothing_marked: "Nothing was unread.", "Nichts war ungelesen.";
    show_all: "Show read items too", "Auch Gelesenes zeigen";
    show_unread: "Show only unread items", "Nur Ungelesenes zeigen";
    view_settings: "This list", "Diese Liste";
    order: "Order", "Reihenfolge";
    order_newest: "Newest first", "Neueste zuerst";
    order_oldest: "Oldest first", "Älteste zuerst";
    feed_page: "About this feed", "Über diesen Feed";
    hidden_by_rule: "hidden by the rule {rule}", "ausgeblendet durch die Regel {rule}";
    hidden_by_you: "hidden by you", "von dir ausgeblendet";
    show_again: "Show again", "Wieder zeigen";
    has_media: "to listen to or watch", "zum Hören oder Ansehen";
    // Empty states
    empty_feeds_title: "No feeds yet", "Noch keine Feeds";
    empty_feeds: "Bring your feeds from another reader, add an address, or start from a pack.",
        "Bring deine Feeds aus einem anderen Leseprogramm mit, gib eine Adresse ein oder nimm ein Paket.";
    empty_feeds_button: "Bring or add feeds", "Feeds mitbringen oder hinzufügen";
    empty_unread_title: "Nothing unread", "Nichts ungelesen";
    empty_unread: "You have read everything. New items appear here by themselves.",
        "Du hast alles gelesen. Neues erscheint hier von selbst.";
    empty_newest_title: "Nothing here yet", "Noch nichts da";
    empty_newest: "Your feeds are being fetched for the first time. What arrives is announced here.",
        "Deine Feeds werden zum ersten Mal abgerufen. Was ankommt, wird hier angezeigt.";
    empty_starred_title: "Nothing starred", "Nichts markiert";
    empty_starred: "Press s on an item, or its star, to keep it here for good.",
        "Drück s auf einem Eintrag oder seinen Stern, um ihn hier für immer zu behalten.";
    empty_hidden_title: "Nothing hidden", "Nichts ausgeblendet";
    empty_hidden: "What your rules hide is kept here, with the rule that did it.",
        "Was deine Regeln ausblenden, bleibt hier, mit der Regel, die es tat.";
    empty_tag_title: "Nothing has this tag", "Nichts trägt dieses Schlagwort";
    empty_tag: "Press t on an item to tag it.", "Drück t auf einem Eintrag, um ihm ein Schlagwort zu geben.";
    empty_scope_title: "Nothing to read here", "Hier gibt es nichts zu lesen";
    empty_scope: "Everything here is read, or nothing has arrived yet.",
        "Alles hier ist gelesen, oder es ist noch nichts angekommen.";
    reading: "The open item", "Der offene Eintrag";
    choose_title: "Choose an item", "Wähle einen Eintrag";
    choose: "Press j for the first one, ? for all keys.", "Drück j für den ersten, ? für alle Tasten.";
    // Keys
    keys_title: "Keys", "Tasten";
    keys_lede: "They work everywhere but in a text field.", "Sie wirken überall, außer in Textfeldern.";
    key_next: "next and previous item", "nächster und voriger Eintrag";
    key_open: "open the chosen item", "gewählten Eintrag öffnen";
    key_read: "read or unread", "gelesen oder ungelesen";
    key_star: "star", "markieren";
    key_tag: "tag", "Schlagwort geben";
    key_full: "full text", "ganzer Text";
    key_original: "original page in a new tab", "Originalseite in neuem Tab";
    key_less: "less like this: hide it", "weniger davon: ausblenden";
    key_all: "mark all read", "alle als gelesen";
    key_undo: "undo", "rückgängig";
    key_text: "only the text", "nur der Text";
    key_go_newest: "go to Newest", "zu Neueste";
    key_go_unread: "go to Unread", "zu Ungelesen";
    key_go_starred: "go to Starred", "zu Markiert";
    key_go_tags: "go to Tags", "zu Schlagwörtern";
    key_go_schedule: "go to the schedule", "zum Zeitplan";
    key_go_feeds: "go to Feeds", "zu Feeds";
    key_search: "search", "suchen";
    key_add: "add a feed", "Feed hinzufügen";
    key_help: "these keys", "diese Tasten";
    then: "then", "dann";
});
