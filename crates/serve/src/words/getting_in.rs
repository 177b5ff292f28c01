//! First run, subscribing, importing, packs.

use super::words;

words!(GettingIn {
    welcome: "Welcome, {name}. What do you read?", "Willkommen, {name}. Was liest du?";
    welcome_title: "Welcome", "Willkommen";
    lede: "Bring your feeds, add one, or start from a pack. You can do all three, and undo each.",
        "Bring deine Feeds mit, gib eine Adresse ein oder nimm ein Paket. Alles davon geht, und alles lässt sich zurücknehmen.";
    signed_in_as: "Signed in as", "Angemeldet als";
    subscribe: "Add feeds", "Feeds hinzufügen";
    bring: "Bring your feeds", "Feeds mitbringen";
    drop: "Drop an OPML file here", "OPML-Datei hier ablegen";
    choose: "or choose one", "oder auswählen";
    file: "OPML file", "OPML-Datei";
    import: "Import", "Importieren";
    bring_hint: "Every reader can export one, usually under Settings.",
        "Jedes Leseprogramm kann eine exportieren, meist unter Einstellungen.";
    export: "Your own: download it", "Deine eigene herunterladen";
    add: "Add an address", "Adresse hinzufügen";
    address: "Address of a site or feed", "Adresse einer Website oder eines Feeds";
    find: "Find", "Suchen";
    any_page: "Any page will do; we look for its feeds.", "Jede Seite genügt; wir suchen ihre Feeds.";
    searching: "Looking for feeds…", "Feeds werden gesucht…";
    folder: "Folder", "Ordner";
    no_folder: "No folder", "Kein Ordner";
    add_button: "Add", "Hinzufügen";
    added: "Added", "Dabei";
    add_named: "Add {name}", "{name} hinzufügen";
    pack: "Start from a pack", "Mit einem Paket beginnen";
    pack_feeds: "{n} feed|{n} feeds", "{n} Feed|{n} Feeds";
    pack_some: "{have} of {all} feeds", "{have} von {all} Feeds";
    kind_feed: "feed", "Feed";
    kind_linked: "from the page", "von der Seite";
    kind_channel: "channel", "Kanal";
    kind_playlist: "playlist", "Playlist";
    kind_account: "account", "Konto";
    kind_subreddit: "subreddit", "Subreddit";
    kind_releases: "releases", "Veröffentlichungen";
    kind_commits: "commits", "Commits";
    kind_tags: "tags", "Versionen";
    // Progress
    of_feeds: "{done} of {n} feed|{done} of {n} feeds", "{done} von {n} Feed|{done} von {n} Feeds";
    failed: "{n} failed|{n} failed", "{n} gescheitert|{n} gescheitert";
    show: "show", "zeigen";
    items_so_far: "{n} item so far|{n} items so far", "bisher {n} Eintrag|bisher {n} Einträge";
    seconds_left: "about {n} s left|about {n} s left", "noch etwa {n} s|noch etwa {n} s";
    minutes_left: "about {n} min left|about {n} min left", "noch etwa {n} min|noch etwa {n} min";
    all_done: "done", "fertig";
    picture: "{all} feeds: {done} fetched, {failed} failed, {waiting} waiting",
        "{all} Feeds: {done} geholt, {failed} gescheitert, {waiting} warten";
    just_arrived: "just arrived", "gerade angekommen";
    reload: "Reload to see how far it is", "Neu laden, um zu sehen, wie weit es ist";
    more_failed: "{n} more failed; they are listed under Feeds.|{n} more failed; they are listed under Feeds.",
        "{n} weiterer ist gescheitert; er steht unter Feeds.|{n} weitere sind gescheitert; sie stehen unter Feeds.";
    left_out: "Kept the first {kept} of {all}; raise subscriptions_max in the configuration for more, then import again.",
        "Die ersten {kept} von {all} sind dabei; erhöhe subscriptions_max in der Konfiguration und importiere noch einmal.";
    take_back: "Undo this import", "Diesen Import zurücknehmen";
    taken_back: "The import is taken back; its feeds are gone from your list.",
        "Der Import ist zurückgenommen; seine Feeds sind aus deiner Liste verschwunden.";
    start: "Start reading", "Lesen beginnen";
    goes_on: "The import goes on while you read.", "Der Import läuft weiter, während du liest.";
    later: "You can add more at any time with the plus at the top left.",
        "Mehr hinzufügen kannst du jederzeit mit dem Plus oben links.";
    // What came of it
    nothing_new: "You follow all {n} of these feeds already.|You follow all {n} of these feeds already.",
        "Diesem {n} Feed folgst du schon.|Allen {n} Feeds folgst du schon.";
    no_feeds: "There is no feed in this file. Export the subscriptions again from the reader they come from.",
        "In dieser Datei ist kein Feed. Exportiere die Abonnements noch einmal aus dem Leseprogramm, aus dem sie kommen.";
    no_file: "Choose a file first.", "Wähle zuerst eine Datei.";
    file_large: "The file is larger than {n} MB, which is the most that is read. Split it and import the parts.|The file is larger than {n} MB, which is the most that is read. Split it and import the parts.",
        "Die Datei ist größer als {n} MB, mehr wird nicht gelesen. Teile sie und importiere die Teile.|Die Datei ist größer als {n} MB, mehr wird nicht gelesen. Teile sie und importiere die Teile.";
    file_empty: "The file is empty. Export the subscriptions again from the reader they come from.",
        "Die Datei ist leer. Exportiere die Abonnements noch einmal aus dem Leseprogramm, aus dem sie kommen.";
    file_feed: "This is a feed, not a list of subscriptions. Add its address instead.",
        "Das ist ein Feed, keine Liste von Abonnements. Füge stattdessen seine Adresse hinzu.";
    file_page: "This is a web page, not a list of subscriptions. Look for an OPML download on it.",
        "Das ist eine Webseite, keine Liste von Abonnements. Such darauf nach einem OPML-Download.";
    file_other: "This is not OPML. Export the subscriptions as OPML from the reader they come from.",
        "Das ist kein OPML. Exportiere die Abonnements als OPML aus dem Leseprogramm, aus dem sie kommen.";
    followed: "You now follow {name}.", "Du folgst jetzt {name}.";
    followed_already: "You follow {name} already.", "Du folgst {name} schon.";
    leave_out: "Leave it out", "Weglassen";
    bookmarklet_title: "From your browser", "Aus deinem Browser";
    bookmarklet: "Drag this into your bookmarks bar. On any site, a click on it looks for the site's feeds here:",
        "Zieh dies in deine Lesezeichenleiste. Auf jeder Website sucht ein Klick darauf hier nach ihren Feeds:";
    bookmarklet_name: "Read in Wellread", "In Wellread lesen";
    bookmarklet_other: "Or open this address with the site's address at its end:",
        "Oder öffne diese Adresse mit der Adresse der Website am Ende:";
});
