//! Buzz: what somebody's feeds talk about.

use super::words;

words!(BuzzWords {
    title: "Buzz", "Gespräch";
    key_go: "Buzz", "Gespräch";
    today: "Today", "Heute";
    week: "Week", "Woche";
    span: "How far back", "Wie weit zurück";
    words: "Words", "Wörter";
    links: "Links", "Links";
    word: "word", "Wort";
    link: "link", "Link";
    last_24_h: "last 24 h", "letzte 24 h";
    last_7_days: "last 7 days", "letzte 7 Tage";
    mine: "mine", "meine";
    everyones: "everyone’s", "alle";
    feeds: "feeds", "Feeds";
    is_new: "new", "neu";
    // Heads
    lede_more: "Your feeds talk about “{word}” {n} times as much as everyone’s.",
        "Deine Feeds sprechen {n}-mal so viel über „{word}“ wie alle.";
    lede_new: "“{word}” is new: {n} of your feeds talk about it.",
        "„{word}“ ist neu: {n} deiner Feeds sprechen darüber.";
    lede_most: "Your feeds talk most about “{word}”: {n} of them do.",
        "Am meisten sprechen deine Feeds über „{word}“: {n} tun es.";
    lede_none: "What your feeds talk about, counted as it comes in.",
        "Worüber deine Feeds sprechen, gezählt, wie es kommt.";
    // One line for those who do not see the pictures
    line: "{items} item in your feeds; {mine} in a hundred of them say it, {all} in a hundred of all|{items} items in your feeds; {mine} in a hundred of them say it, {all} in a hundred of all",
        "{items} Eintrag in deinen Feeds; {mine} von hundert sagen es, {all} von hundert aller|{items} Einträge in deinen Feeds; {mine} von hundert sagen es, {all} von hundert aller";
    rises: "{n} times as many feeds as usual", "{n}-mal so viele Feeds wie sonst";
    rises_new: "nobody said it before", "bisher sagte es niemand";
    // Nothing there
    empty_title: "Nothing is talked about yet", "Noch wird über nichts gesprochen";
    empty_no_feeds: "Buzz shows the words and links that several of your feeds mention. Follow a few feeds first.",
        "Hier stehen die Wörter und Links, die mehrere deiner Feeds erwähnen. Folge zuerst ein paar Feeds.";
    empty_one_feed: "Buzz shows what several feeds mention, and you follow one. With a second on the same matter there is something to compare.",
        "Hier steht, was mehrere Feeds erwähnen, und du folgst einem. Mit einem zweiten zum selben Thema gibt es etwas zu vergleichen.";
    empty_today: "No two of your feeds have mentioned the same thing in the last 24 hours. The week may have more.",
        "Keine zwei deiner Feeds haben in den letzten 24 Stunden dasselbe erwähnt. In der Woche steht vielleicht mehr.";
    empty_week: "No two of your feeds have mentioned the same thing this week. It appears here as soon as they do.",
        "Keine zwei deiner Feeds haben in dieser Woche dasselbe erwähnt. Sobald sie es tun, steht es hier.";
    empty_links: "No link stands in several of your feeds.", "Kein Link steht in mehreren deiner Feeds.";
    find_feeds: "Find feeds", "Feeds finden";
    reading: "The last days are being read; the lists are not complete yet.",
        "Die letzten Tage werden gelesen; die Listen sind noch nicht vollständig.";
    away: "Buzz is being made from the last days. Try again in a few seconds; reading goes on meanwhile.",
        "Das Gespräch wird aus den letzten Tagen ermittelt. Versuch es in ein paar Sekunden wieder; lesen kannst du inzwischen.";
    // The pane
    about: "{n} item in {feeds} of your {all} feeds.|{n} items in {feeds} of your {all} feeds.",
        "{n} Eintrag in {feeds} deiner {all} Feeds.|{n} Einträge in {feeds} deiner {all} Feeds.";
    first: "First in {feed}, {when}.", "Zuerst in {feed}, {when}.";
    usual: "{n} times as many feeds as usual.", "{n}-mal so viele Feeds wie sonst.";
    no_longer: "Your feeds do not mention this any more.", "Deine Feeds erwähnen das nicht mehr.";
    chart: "Mentions in your feeds: {n} at most at a time, {all} had your feeds talked like everyone’s",
        "Erwähnungen in deinen Feeds: höchstens {n} auf einmal, {all}, sprächen deine Feeds wie alle";
    table: "Mentions over time", "Erwähnungen im Lauf der Zeit";
    time: "until", "bis";
    goes_with: "goes with", "steht mit";
    search: "Search", "Suchen";
    alert: "Alert me", "Benachrichtige mich";
    alert_title: "Keep a search for it: new items are counted beside Search",
        "Eine Suche danach behalten: Neues wird neben der Suche gezählt";
    open_link: "Open the page", "Seite öffnen";
    close: "Close", "Schließen";
    all_items: "All items", "Alle Einträge";
    items: "Items", "Einträge";
    // Weights
    weight: "How much it counts in Buzz", "Wie viel er im Gespräch zählt";
    weight_auto: "By what I open", "Nach dem, was ich öffne";
    weight_own: "As I say", "Wie ich es sage";
    weight_none: "nothing", "nichts";
    weight_double: "double", "doppelt";
    weight_now: "You opened {opened} of {items} items in the last 30 days: by that it counts {n}. A feed you do not know yet counts 1.",
        "Du hast in den letzten 30 Tagen {opened} von {items} Einträgen geöffnet: danach zählt er {n}. Ein neuer Feed zählt 1.";
    // The API
    bad_span: "“window” is today or week.", "„window“ ist today oder week.";
});
