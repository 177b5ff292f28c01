//! Finding channels, and what a feed is about: the page Discover, the feed page's profile, and the API for scripts.

use super::words;

words!(DiscoverWords {
    title: "Discover", "Entdecken";
    lede: "This server knows {n} channel by what it publishes.|This server knows {n} channels by what they publish.",
        "Dieser Server kennt {n} Kanal nach dem, was er bringt.|Dieser Server kennt {n} Kanäle nach dem, was sie bringen.";
    lede_none: "Channels are found by what they publish.", "Kanäle werden nach dem gefunden, was sie bringen.";
    ways: "Ways to find channels", "Wege, Kanäle zu finden";
    way_reading: "By what I read", "Nach dem, was ich lese";
    way_words: "By words", "Nach Wörtern";
    way_text: "By a text", "Nach einem Text";
    way_opml: "By a list of feeds", "Nach einer Feed-Liste";
    together: "People who follow what you follow also follow", "Wer folgt, dem du folgst, folgt auch";
    way_popular: "Popular here", "Beliebt hier";
    words_label: "What should the channel be about?", "Wovon soll der Kanal handeln?";
    find: "Find", "Finden";
    text_label: "A text you like", "Ein Text, der dir gefällt";
    text_hint: "Paste an article. It is compared and forgotten.", "Füge einen Artikel ein. Er wird verglichen und vergessen.";
    opml_label: "An OPML file, at most 1 MB", "Eine OPML-Datei, höchstens 1 MB";
    opml_hint: "Nothing of it is followed; channels like those in it are looked for.",
        "Nichts davon wird abonniert; gesucht werden Kanäle wie die darin.";
    // What was found
    found_words: "{n} channel about “{words}”|{n} channels about “{words}”", "{n} Kanal über „{words}“|{n} Kanäle über „{words}“";
    found_text: "{n} channel like your text|{n} channels like your text", "{n} Kanal wie dein Text|{n} Kanäle wie dein Text";
    found_opml: "{n} channel near those of the file|{n} channels near those of the file",
        "{n} Kanal in der Nähe derer aus der Datei|{n} Kanäle in der Nähe derer aus der Datei";
    found_like: "{n} channel like {name}|{n} channels like {name}", "{n} Kanal wie {name}|{n} Kanäle wie {name}";
    found_reading: "{n} channel near what you read|{n} channels near what you read",
        "{n} Kanal nah an dem, was du liest|{n} Kanäle nah an dem, was du liest";
    found_popular: "{n} channel many here follow and you do not|{n} channels many here follow and you do not",
        "{n} Kanal, dem viele hier folgen und du nicht|{n} Kanäle, denen viele hier folgen und du nicht";
    none_words: "No channel here is about “{words}”.", "Kein Kanal hier handelt von „{words}“.";
    none_other: "No channel here is near that.", "Kein Kanal hier liegt in der Nähe.";
    none_reading: "No other channel here is near what you read.", "Kein weiterer Kanal hier ist nah an dem, was du liest.";
    none_popular: "Nothing that you do not follow has 5 readers here.", "Nichts, dem du nicht folgst, hat hier 5 Leser.";
    none_why: "Discover knows the feeds that people of this server follow, and looks nowhere else. With more feeds it finds more.",
        "Entdecken kennt die Feeds, denen Leute dieses Servers folgen, und sucht sonst nirgends. Mit mehr Feeds findet es mehr.";
    none_next: "Try other words, add a feed by its address, or begin with a pack:",
        "Versuche andere Wörter, füge einen Feed nach Adresse hinzu oder beginne mit einem Paket:";
    note_follows: "You have opened little so far, so this goes by what you follow. It turns to what you read by itself.",
        "Du hast bisher wenig geöffnet, darum geht es hier nach dem, was du abonniert hast. Von selbst geht es bald nach dem, was du liest.";
    note_opml: "{known} of the {all} feeds in the file are known here.", "{known} der {all} Feeds der Datei sind hier bekannt.";
    note_names: "None of the feeds in the file is known here; this goes by their names.",
        "Keiner der Feeds der Datei ist hier bekannt; es geht nach ihren Namen.";
    by_opens: "weighed by what you opened and starred in 90 days", "gewichtet nach dem, was du in 90 Tagen geöffnet und markiert hast";
    // Why nothing was looked for
    no_words: "Type what the channel should be about; words like “the” say nothing.",
        "Schreibe, wovon der Kanal handeln soll; Wörter wie „der“ sagen nichts.";
    no_text: "Paste a text with a few words in it.", "Füge einen Text mit einigen Wörtern ein.";
    no_feeds: "There is no feed in this file.", "In dieser Datei ist kein Feed.";
    no_names: "None of the feeds in the file is known here, and they have no names to go by.",
        "Keiner der Feeds der Datei ist hier bekannt, und Namen haben sie keine.";
    no_learned: "Nothing is known of your feeds yet. They are read in the background; look again in a few minutes.",
        "Noch ist nichts über deine Feeds bekannt. Sie werden im Hintergrund gelesen; sieh in ein paar Minuten wieder nach.";
    no_channel: "There is no such channel here, or nothing is known of it yet.",
        "Einen solchen Kanal gibt es hier nicht, oder es ist noch nichts über ihn bekannt.";
    no_reading: "You follow nothing yet. Follow some feeds, read a little, and channels near that appear here.",
        "Du folgst noch nichts. Abonniere einige Feeds, lies ein wenig, und hier erscheinen Kanäle in der Nähe.";
    no_way: "Say what to look for: q=WORDS, like=FEED, by=reading, or POST a text or an OPML file.",
        "Sag, was gesucht wird: q=WÖRTER, like=FEED, by=reading, oder sende mit POST einen Text oder eine OPML-Datei.";
    two_ways: "Ask for one thing at a time: q, like or by.", "Frage nach einem zur Zeit: q, like oder by.";
    bad_limit: "limit is a number from 1 to 100.", "limit ist eine Zahl von 1 bis 100.";
    bad_kind: "Send text/plain, text/x-opml, or a form with text or opml in it.",
        "Sende text/plain, text/x-opml oder ein Formular mit text oder opml.";
    no_token_title: "This address needs a token", "Diese Adresse braucht ein Token";
    no_token: "Send `Authorization: Bearer TOKEN`. Tokens are made in the settings.",
        "Sende `Authorization: Bearer TOKEN`. Tokens gibt es in den Einstellungen.";
    // A channel
    subscribe: "Subscribe", "Abonnieren";
    subscribe_to: "Subscribe to {name}", "{name} abonnieren";
    subscribed: "subscribed", "abonniert";
    like_this: "Like this one", "Ähnliche";
    like_named: "Like this one: {name}", "Ähnliche wie {name}";
    not_learned: "nothing is known of it yet", "noch ist nichts über ihn bekannt";
    a_day: "{n} a day", "{n} am Tag";
    a_week: "{n} a week", "{n} in der Woche";
    a_month: "{n} a month", "{n} im Monat";
    seldom: "now and then", "ab und zu";
    keeps: "keeps to its subject {n}", "bleibt beim Thema {n}";
    match_score: "match {n}", "Nähe {n}";
    readers: "{n} reads it here|{n} read it here", "{n} liest ihn hier|{n} lesen ihn hier";
    lately: "Lately:", "Zuletzt:";
    no_room: "You follow as many feeds as this server allows. Leave one first.",
        "Du folgst so vielen Feeds, wie dieser Server erlaubt. Bestelle zuerst einen ab.";
    popular_switch: "Show what is popular on this server", "Zeigen, was auf diesem Server beliebt ist";
    popular_hint: "Only feeds with 5 or more readers and items that 5 or more opened, without names.",
        "Nur Feeds mit mindestens 5 Lesern und Einträge, die mindestens 5 geöffnet haben, ohne Namen.";
    key_go: "go to Discover", "zu Entdecken";
    // The feed page: what it says over time
    months: "January February March April May June July August September October November December",
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember";
    month_year: "{month} {year}", "{month} {year}";
    river_new_leads: "“{term}” is new since {since} and now leads", "„{term}“ ist neu seit {since} und führt jetzt";
    river_new: "“{term}” is new since {since}", "„{term}“ ist neu seit {since}";
    river_leads: "“{term}” leads since {since}; before it was “{before}”", "„{term}“ führt seit {since}; vorher war es „{before}“";
    river_steady: "Mostly about {terms} since {since}", "Vor allem {terms} seit {since}";
    river_mixed: "About many things since {since}, {terms} most often", "Über vieles seit {since}, am häufigsten {terms}";
    river_few: "Not enough data: {n} item so far. How it changes shows after about 60, over some days.|Not enough data: {n} items so far. How it changes shows after about 60, over some days.",
        "Nicht genug Daten: bisher {n} Eintrag. Wie er sich wandelt, zeigt sich nach etwa 60, über einige Tage.|Nicht genug Daten: bisher {n} Einträge. Wie er sich wandelt, zeigt sich nach etwa 60, über einige Tage.";
    river_title: "What it says over time", "Was er im Lauf der Zeit bringt";
    river_unit: "share of items", "Anteil der Einträge";
    river_until: "Until", "Bis";
    and: "{first} and {last}", "{first} und {last}";
    // How cohesive it is
    cohesion: "cohesion", "Zusammenhalt";
    cohesion_more: "Keeps to its subject more than {n} % of your feeds", "Bleibt mehr beim Thema als {n} % deiner Feeds";
    cohesion_less: "Says more different things than {n} % of your feeds", "Bringt Verschiedeneres als {n} % deiner Feeds";
    cohesion_alone: "Keeps to its subject: {n} of 1", "Bleibt beim Thema: {n} von 1";
    cohesion_title: "Whether it keeps to its subject", "Ob er beim Thema bleibt";
    cohesion_few: "Not enough data: this shows after more than 20 items.", "Nicht genug Daten: Das zeigt sich nach mehr als 20 Einträgen.";
    cohesion_picture: "Cohesion {n} between 0, many things, and 1, one thing, among {all} of your feeds",
        "Zusammenhalt {n} zwischen 0, vielerlei, und 1, einerlei, unter {all} deiner Feeds";
    many_things: "says many things", "vielerlei";
    one_thing: "says one thing", "einerlei";
    // Its terms
    terms_now: "Now mostly {terms}", "Jetzt vor allem {terms}";
    terms_last: "In the last {n} items mostly {terms}", "In den letzten {n} Einträgen vor allem {terms}";
    terms_general: "In general mostly {terms}", "Im Allgemeinen vor allem {terms}";
    terms_title: "What it is about", "Wovon er handelt";
    terms_few: "Nothing is known of it yet. Its items are read in the background.",
        "Noch ist nichts über ihn bekannt. Seine Einträge werden im Hintergrund gelesen.";
    terms_window: "How far back", "Wie weit zurück";
    window_now: "Now", "Jetzt";
    window_items: "{n} items", "{n} Einträge";
    window_general: "In general", "Im Allgemeinen";
    term: "Term", "Begriff";
    weight: "Weight", "Gewicht";
    how_often: "How often", "Wie oft";
    times: "{n} time|{n} times", "{n}-mal|{n}-mal";
    new_term: "new", "neu";
    // Feeds beside it
    near_title: "Channels like this one", "Kanäle wie dieser";
    near_none: "No channel here is like it.", "Kein Kanal hier ist wie er.";
    near_more: "More like this one", "Mehr wie dieser";
    ties_title: "Who tells the same stories", "Wer dasselbe meldet";
    tie_contained: "Contained in {other}: {share} % of its stories come there too, and more.",
        "In {other} enthalten: {share} % seiner Meldungen kommen auch dort, und mehr.";
    tie_contains: "Contains {other}: {share} % of that one's stories come here too.",
        "Enthält {other}: {share} % von dessen Meldungen kommen auch hier.";
    tie_similar: "Similar to {other}: {shared} of its {all} stories of 60 days come there too.",
        "Ähnlich wie {other}: {shared} seiner {all} Meldungen in 60 Tagen kommen auch dort.";
    drop_this: "Unsubscribe from this one", "Diesen abbestellen";
    drop_other: "Unsubscribe from {other}", "{other} abbestellen";
});
