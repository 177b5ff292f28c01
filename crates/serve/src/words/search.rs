//! Search, saved searches, and the same story in several feeds.

use super::words;

words!(SearchWords {
    title: "Search", "Suche";
    label: "Search your feeds", "Durchsuche deine Feeds";
    placeholder: "Words, a “phrase”, or a filter", "Wörter, eine „Wendung“ oder ein Filter";
    completes: "Tab completes the word.", "Tab ergänzt das Wort.";
    clear: "Clear", "Leeren";
    go: "Search", "Suchen";
    filters: "Filters", "Filter";
    all_feeds: "All my feeds", "Alle meine Feeds";
    feed: "Feed", "Feed";
    any_time: "Any time", "Jederzeit";
    time: "Time", "Zeit";
    past_day: "Since yesterday", "Seit gestern";
    past_week: "Past week", "Letzte Woche";
    past_month: "Past month", "Letzter Monat";
    past_year: "Past year", "Letztes Jahr";
    any_folder: "Any folder", "Jeder Ordner";
    folder: "Folder", "Ordner";
    any_language: "Any language", "Jede Sprache";
    language: "Language", "Sprache";
    any_tag: "Any tag", "Jedes Schlagwort";
    tag: "Tag", "Schlagwort";
    titles: "Titles only", "Nur Titel";
    unread: "Unread", "Ungelesen";
    starred: "Starred", "Markiert";
    order: "Order", "Reihenfolge";
    best: "Best match", "Passendste";
    newest: "Newest", "Neueste";
    n_items: "{n} item|{n} items", "{n} Eintrag|{n} Einträge";
    many_items: "More than {n} items", "Mehr als {n} Einträge";
    took: "in {n} ms", "in {n} ms";
    cut: "The search was stopped after a second; there may be better results. A rarer word helps.",
        "Die Suche wurde nach einer Sekunde angehalten; vielleicht gibt es Passenderes. Ein selteneres Wort hilft.";
    more: "More results", "Weitere Ergebnisse";
    end: "Only the first {n} results are shown. One more word finds what is behind them.",
        "Nur die ersten {n} Ergebnisse werden gezeigt. Ein weiteres Wort findet, was dahinter liegt.";
    meant: "Did you mean", "Meintest du";
    folded: "{n} copy of these stories is within its row.|{n} copies of these stories are within their rows.",
        "{n} Fassung dieser Meldungen steckt in ihrer Zeile.|{n} Fassungen dieser Meldungen stecken in ihren Zeilen.";
    show_each: "Show each", "Alle zeigen";
    group_again: "One row per story", "Eine Zeile je Meldung";
    // The same story
    also_in: "also in {n} feed|also in {n} feeds", "auch in {n} Feed|auch in {n} Feeds";
    // Before anything is typed
    teach_title: "Find it again", "Finde es wieder";
    teach: "Everything your feeds have brought, by its words. Results come as you type.",
        "Alles, was deine Feeds gebracht haben, nach seinen Wörtern. Ergebnisse kommen, während du tippst.";
    ex_words: "both words, in any form", "beide Wörter, in jeder Form";
    ex_phrase: "exactly in this order", "genau in dieser Folge";
    ex_not: "without a word", "ohne ein Wort";
    ex_or: "either word", "eines der Wörter";
    ex_begin: "words that begin so", "Wörter, die so beginnen";
    ex_title: "in the title", "im Titel";
    ex_feed: "in feeds of this name", "in Feeds dieses Namens";
    ex_state: "starred and newer than that", "markiert und neuer als das";
    sample_words: "night ferry", "nacht fähre";
    sample_phrase: "\"night ferry\"", "\"letzte fähre\"";
    sample_not: "harbour -boats", "hafen -boote";
    sample_or: "storm OR flood", "sturm OR flut";
    sample_begin: "photo*", "foto*";
    sample_title: "title:climate", "title:klima";
    sample_feed: "feed:news election", "feed:nachrichten wahl";
    sample_state: "is:starred after:2026-01", "is:starred after:2026-01";
    // Nothing found
    none_title: "Nothing found", "Nichts gefunden";
    none: "No item of your feeds has these words. Fewer or shorter words find more; begin* finds whatever begins so.",
        "Kein Eintrag deiner Feeds hat diese Wörter. Weniger oder kürzere Wörter finden mehr; anfang* findet alles, was so beginnt.";
    none_filtered: "Nothing here has these words. Without the filters there may be more.",
        "Hier hat nichts diese Wörter. Ohne die Filter gibt es vielleicht mehr.";
    drop_filters: "Search without filters", "Ohne Filter suchen";
    // The index
    building: "The index is being built: {done} of {of} items. Results are incomplete.",
        "Der Index wird aufgebaut: {done} von {of} Einträgen. Die Ergebnisse sind unvollständig.";
    building_uncounted: "The index is being built. Results are incomplete.",
        "Der Index wird aufgebaut. Die Ergebnisse sind unvollständig.";
    repairing: "The index was damaged and is being built again. Results may be incomplete.",
        "Der Index war beschädigt und wird neu aufgebaut. Die Ergebnisse können unvollständig sein.";
    away_title: "Search is not available", "Die Suche ist nicht verfügbar";
    away_opening: "The index is being opened. Try again in a few seconds; reading goes on meanwhile.",
        "Der Index wird geöffnet. Versuch es in ein paar Sekunden wieder; lesen kannst du inzwischen.";
    away: "The index cannot be used right now. Reading goes on; the operator finds the reason in the log.",
        "Der Index kann gerade nicht benutzt werden. Lesen geht weiter; der Betreiber findet den Grund im Protokoll.";
    away_busy: "Too many people are searching at once. Try again in a moment.",
        "Zu viele suchen gleichzeitig. Versuch es gleich noch einmal.";
    again: "Try again", "Noch einmal versuchen";
    // Queries that cannot be
    bad_title: "This cannot be searched for", "Danach lässt sich nicht suchen";
    bad_nothing: "There is nothing to look for: type a word, a \"phrase\" or a filter such as is:starred.",
        "Da ist nichts zu suchen: gib ein Wort, eine \"Wendung\" oder einen Filter wie is:starred ein.";
    bad_long: "This search is too long: at most {n} characters are read. Leave out what matters least.",
        "Diese Suche ist zu lang: höchstens {n} Zeichen werden gelesen. Lass das Unwichtigste weg.";
    bad_deep: "This search is nested too deeply: at most {n} parentheses may be open at once.",
        "Diese Suche ist zu tief verschachtelt: höchstens {n} Klammern dürfen zugleich offen sein.";
    bad_words: "This search has too many words: at most {n} are looked for. Leave out what matters least.",
        "Diese Suche hat zu viele Wörter: höchstens {n} werden gesucht. Lass das Unwichtigste weg.";
    bad_date: "“{what}” is not a date: write {field}:2026-05-01, {field}:2026-05 or {field}:2026.",
        "„{what}“ ist kein Datum: schreib {field}:2026-05-01, {field}:2026-05 oder {field}:2026.";
    bad_state: "“is:{what}” is not known: there are is:starred, is:unread and is:read.",
        "„is:{what}“ ist nicht bekannt: es gibt is:starred, is:unread und is:read.";
    bad_language: "“{what}” is not a language: write lang:en, lang:de and so on.",
        "„{what}“ ist keine Sprache: schreib lang:en, lang:de und so weiter.";
    // Beside the results
    beside: "Channels and saved searches", "Kanäle und gespeicherte Suchen";
    channels: "Channels", "Kanäle";
    more_channels: "Discover more like these", "Mehr davon entdecken";
    subscribed: "subscribed", "abonniert";
    subscribe: "Subscribe", "Abonnieren";
    subscribe_to: "Subscribe: {name}", "Abonnieren: {name}";
    a_day: "{n} a day", "{n} am Tag";
    a_week: "{n} a week", "{n} in der Woche";
    a_month: "{n} a month", "{n} im Monat";
    seldom: "less than one a month", "weniger als einer im Monat";
    keep: "Keep this search", "Diese Suche behalten";
    week: "It would have found {n} item this week.|It would have found {n} items this week.",
        "Sie hätte diese Woche {n} Eintrag gefunden.|Sie hätte diese Woche {n} Einträge gefunden.";
    week_many: "It would have found more than {n} items this week.",
        "Sie hätte diese Woche mehr als {n} Einträge gefunden.";
    week_none: "It would have found nothing this week.", "Sie hätte diese Woche nichts gefunden.";
    keep_lede: "Saved, it counts what is new since you last looked.",
        "Gespeichert zählt sie, was neu ist, seit du zuletzt nachgesehen hast.";
    save: "Save this search", "Suche speichern";
    saved_already: "Saved as {name}.", "Gespeichert als {name}.";
    // Saved searches
    saved: "Saved", "Gespeichert";
    n_new: "{n} new|{n} new", "{n} neu|{n} neu";
    many_new: "more than {n} new", "mehr als {n} neu";
    nothing_since: "nothing since {day}", "nichts seit {day}";
    nothing_ever: "nothing yet", "noch nichts";
    not_counted: "not counted", "nicht gezählt";
    unreadable: "cannot be read", "nicht lesbar";
    is_new: "new", "neu";
    all_seen: "Mark all as seen", "Alles als gesehen markieren";
    change: "Rename or remove", "Umbenennen oder entfernen";
    change_one: "Rename or remove {name}", "{name} umbenennen oder entfernen";
    name: "Name", "Name";
    rename: "Rename", "Umbenennen";
    remove: "Remove", "Entfernen";
    said_saved: "The search is saved.", "Die Suche ist gespeichert.";
    said_renamed: "The search has its new name.", "Die Suche hat ihren neuen Namen.";
    said_removed: "The search is removed.", "Die Suche ist entfernt.";
    said_full: "That search was not saved: a hundred are kept. Remove one you no longer need.",
        "Die Suche wurde nicht gespeichert: hundert werden behalten. Entferne eine, die du nicht mehr brauchst.";
});
