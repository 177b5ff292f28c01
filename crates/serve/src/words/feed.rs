//! The page about one feed: its numbers, its pictures, and why the next check is when it is.

use super::words;

words!(FeedWords {
    in_folder: "In {folder}", "In {folder}";
    read_unread: "Read {n} unread|Read {n} unread", "{n} ungelesenen lesen|{n} ungelesene lesen";
    read_all: "Read", "Lesen";
    from: "Check now, from {time}", "Jetzt abrufen, ab {time}";
    posts_a_day: "posts a day", "Beiträge am Tag";
    opened_by_you: "opened by you", "von dir geöffnet";
    to_here: "from posting to here, median", "vom Erscheinen bis hier, Median";
    polls_today: "check today|checks today", "Abruf heute|Abrufe heute";
    next: "Next check {when}, because {why}", "Nächster Abruf {when}, weil {why}";
    next_none: "No check is planned, because {why}", "Kein Abruf ist geplant, weil {why}";
    next_due: "It is being checked, or about to be", "Er wird gerade oder gleich abgerufen";
    // Reasons, after "because"
    r_new: "it is new and waits for its turn", "er neu ist und auf seine Reihe wartet";
    r_rate: "it brings about {rate} posts a day", "er etwa {rate} Beiträge am Tag bringt";
    r_rate_week: "it brings about {rate} posts a week", "er etwa {rate} Beiträge in der Woche bringt";
    r_rate_month: "it brings a post now and then", "er ab und zu einen Beitrag bringt";
    r_maximum: "it posts rarely; we look at least every {span}", "er selten etwas bringt; wir sehen mindestens alle {span} nach";
    r_own_floor: "we ask no feed more often than every {n} minutes|we ask no feed more often than every {n} minutes",
        "wir keinen Feed öfter als alle {n} Minuten fragen|wir keinen Feed öfter als alle {n} Minuten fragen";
    r_fresh: "its server says that what we have is fresh until then", "sein Server sagt, dass unser Stand bis dahin frisch ist";
    r_publisher: "its publisher asks for {n} minutes between checks|its publisher asks for {n} minutes between checks",
        "sein Anbieter {n} Minuten zwischen Abrufen wünscht|sein Anbieter {n} Minuten zwischen Abrufen wünscht";
    r_skip: "its publisher asks to be left alone at certain hours or days",
        "sein Anbieter zu bestimmten Stunden oder Tagen nicht gefragt werden will";
    r_busy: "its server is busy and asked us to wait", "sein Server überlastet ist und um Geduld bat";
    r_back_off: "the last check failed and we do not insist|the last {n} checks failed and we do not insist",
        "der letzte Abruf scheiterte und wir nicht drängen|die letzten {n} Abrufe scheiterten und wir nicht drängen";
    r_denied: "its server refuses us; it may want a password", "sein Server uns abweist; vielleicht will er ein Passwort";
    r_gone: "it said it is gone for good; we ask once more", "er sich für immer verabschiedet hat; wir fragen noch einmal";
    r_gone_for_good: "it is gone for good", "er für immer weg ist";
    r_slot: "another feed of the same site comes first", "ein anderer Feed derselben Website zuerst kommt";
    r_spread: "much was due at once, so we spread it out", "vieles zugleich fällig war und wir es verteilen";
    r_offline: "our own network was down", "unser eigenes Netz gestört war";
    r_asked: "somebody asked for it", "jemand darum gebeten hat";
    r_opened: "somebody came to read", "jemand zum Lesen gekommen ist";
    r_paused: "it is paused", "er angehalten ist";
    r_busy_hours: "posts come {from}–{to} h", "Beiträge {from}–{to} Uhr kommen";
    r_reading: "{when}, and you read at {time}", "{when} und du um {time} liest";
    r_window: "its document shows only the newest items and would overflow",
        "sein Dokument nur das Neueste zeigt und sonst überliefe";
    important: "Important", "Wichtig";
    important_hint: "Find its posts sooner than others'", "Seine Beiträge früher finden als andere";
    did_important: "Its posts are found sooner from now on", "Seine Beiträge werden ab jetzt früher gefunden";
    did_not_important: "It is like the others again", "Er ist wieder wie die anderen";
    found_after: "Found {realised} after posting; {expected} expected", "{realised} nach dem Erscheinen gefunden; {expected} erwartet";
    mean_a_day: "mean of each day", "Mittel je Tag";
    items_lost: "item lost in 90 days|items lost in 90 days", "Eintrag in 90 Tagen verloren|Einträge in 90 Tagen verloren";
    to_come: "{polls}, {n} to come", "{polls}, {n} kommen noch";
    day_reading: "you read", "du liest";
    // The day
    day_new: "check, new items", "Abruf, Neues";
    day_nothing: "nothing new", "nichts Neues";
    day_planned: "planned", "geplant";
    day_expected: "expected posts", "erwartete Beiträge";
    day_now: "now {time}", "jetzt {time}";
    day_picture: "Today: {polls} checks so far, the next at {next}", "Heute: bisher {polls} Abrufe, der nächste um {next}";
    day_unknown: "Too few posts yet to say when more are to be expected.",
        "Noch zu wenige Beiträge, um zu sagen, wann mehr zu erwarten sind.";
    // The week
    posts_title: "When it posts", "Wann er etwas bringt";
    opens_title: "When you read it", "Wann du ihn liest";
    posts_hours: "Posts come {days}, {from}–{to} h", "Beiträge kommen {days}, {from}–{to} Uhr";
    posts_days: "Posts come {days}, at any hour", "Beiträge kommen {days}, zu jeder Stunde";
    posts_any: "Posts come at any hour, on any day", "Beiträge kommen zu jeder Stunde, an jedem Tag";
    opens_hours: "You read it {days}, {from}–{to} h", "Du liest ihn {days}, {from}–{to} Uhr";
    opens_days: "You read it {days}, at any hour", "Du liest ihn {days}, zu jeder Stunde";
    opens_any: "You read it at any hour, on any day", "Du liest ihn zu jeder Stunde, an jedem Tag";
    days_every: "on all days", "an allen Tagen";
    days_weekdays: "on weekdays", "an Werktagen";
    days_weekends: "at weekends", "am Wochenende";
    posts_span: "8 weeks, {n} post|8 weeks, {n} posts", "8 Wochen, {n} Beitrag|8 Wochen, {n} Beiträge";
    opens_span: "8 weeks, {n} open|8 weeks, {n} opens", "8 Wochen, {n}-mal geöffnet|8 Wochen, {n}-mal geöffnet";
    posts_few: "Not enough data: {n} post in 8 weeks. A pattern needs about 12.|Not enough data: {n} posts in 8 weeks. A pattern needs about 12.",
        "Nicht genug Daten: {n} Beitrag in 8 Wochen. Ein Muster braucht etwa 12.|Nicht genug Daten: {n} Beiträge in 8 Wochen. Ein Muster braucht etwa 12.";
    opens_few: "Not enough data: opened {n} time in 8 weeks. A pattern needs about 12.|Not enough data: opened {n} times in 8 weeks. A pattern needs about 12.",
        "Nicht genug Daten: {n}-mal geöffnet in 8 Wochen. Ein Muster braucht etwa 12.|Nicht genug Daten: {n}-mal geöffnet in 8 Wochen. Ein Muster braucht etwa 12.";
    table_day: "Day", "Tag";
    table_hours: "Hours and how often", "Stunden und wie oft";
    table_none: "none", "keine";
    at_hour: "{hour} h: {n}", "{hour} Uhr: {n}";
    // Past checks
    polls_title: "The last checks", "Die letzten Abrufe";
    polls_none: "It has not been checked yet.", "Er wurde noch nicht abgerufen.";
    polls_when: "When", "Wann";
    polls_what: "What came", "Was kam";
    polls_bytes: "Sent", "Gesendet";
    p_fresh: "{n} new item|{n} new items", "{n} neuer Eintrag|{n} neue Einträge";
    p_same: "answered, nothing new", "geantwortet, nichts Neues";
    p_changed: "{n} item changed|{n} items changed", "{n} Eintrag geändert|{n} Einträge geändert";
    p_unchanged: "unchanged since the last check", "unverändert seit dem letzten Abruf";
    p_partial: "{n} new item; only a part came|{n} new items; only a part came", "{n} neuer Eintrag; nur ein Teil kam an|{n} neue Einträge; nur ein Teil kam an";
    p_gone: "said it is gone for good", "sagte, er sei für immer weg";
    p_busy: "was busy and asked us to wait", "war überlastet und bat um Geduld";
    p_denied: "refused us", "wies uns ab";
    p_not_found: "was not found", "wurde nicht gefunden";
    p_not_a_feed: "sent something that is no feed", "sendete etwas, das kein Feed ist";
    p_failed: "did not answer properly", "antwortete nicht richtig";
    p_refused: "was not asked: its address is not allowed", "wurde nicht gefragt: Die Adresse ist nicht erlaubt";
    p_offline: "was not reached: our own network was down", "war nicht zu erreichen: Unser eigenes Netz war gestört";
    kilobytes: "{n} KB|{n} KB", "{n} KB|{n} KB";
    address: "Address", "Adresse";
    since: "You follow it since {date}.", "Du folgst ihm seit {date}.";
    private: "Only you see this feed.", "Nur du siehst diesen Feed.";
});
