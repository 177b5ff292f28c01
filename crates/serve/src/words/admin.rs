//! The operator's page, and the one-time link it hands out.

use super::words;

words!(AdminWords {
    title: "Server", "Server";
    lede: "{users}, {feeds}, {items}. {polls} in 24 hours brought {new}.",
        "{users}, {feeds}, {items}. {polls} in 24 Stunden brachten {new}.";
    n_users: "{n} person|{n} people", "{n} Person|{n} Personen";
    n_feeds: "{n} feed|{n} feeds", "{n} Feed|{n} Feeds";
    n_items: "{n} item|{n} items", "{n} Eintrag|{n} Einträge";
    n_polls: "{n} poll|{n} polls", "{n} Abruf|{n} Abrufe";
    n_new: "{n} new item|{n} new items", "{n} neuen Eintrag|{n} neue Einträge";
    // Fetching
    fetching: "Fetching", "Abrufen";
    halt: "Stop all fetching", "Alles Abrufen anhalten";
    halt_sure: "No feed, page, icon or picture is fetched by any node until you let it go on. Reading goes on.",
        "Kein Knoten ruft mehr Feeds, Seiten, Symbole oder Bilder ab, bis du es wieder freigibst. Lesen geht weiter.";
    halted: "All fetching is stopped.", "Alles Abrufen ist angehalten.";
    resume: "Let fetching go on", "Abrufen freigeben";
    running: "Fetching runs.", "Das Abrufen läuft.";
    banner: "All fetching is stopped by an administrator; nothing new arrives.",
        "Alles Abrufen ist von einem Verwalter angehalten; nichts Neues kommt an.";
    budget: "Polls per feed and day, on average", "Abrufe je Feed und Tag, im Mittel";
    budget_hint: "Between 0.1 and 288; empty means the {n} of the settings file. It counts from each feed's next poll on.",
        "Zwischen 0,1 und 288; leer heißt {n} wie in der Einstellungsdatei. Es gilt ab dem nächsten Abruf jedes Feeds.";
    novelty: "Posts that repeat other feeds of the same readers count less", "Beiträge, die andere Feeds derselben Leser wiederholen, zählen weniger";
    novelty_hint: "Off unless chosen. Measured: where nearly a third of the feeds copy others, the first copy is found 3–8 % sooner; where none do, between 2.5 % sooner and 1.6 % later. Plans follow within a day.",
        "Aus, wenn nicht gewählt. Gemessen: Wo fast ein Drittel der Feeds andere kopiert, wird die erste Kopie 3–8 % früher gefunden; wo keiner kopiert, zwischen 2,5 % früher und 1,6 % später. Pläne folgen binnen eines Tages.";
    budget_wrong: "The budget is a number between 0.1 and 288.", "Das Budget ist eine Zahl zwischen 0,1 und 288.";
    opted_out: "Sites that asked us to stay away", "Websites, die uns nicht wollen";
    opted_out_hint: "One host per line; the hosts below it are left alone, too. Nothing of them is fetched any more.",
        "Ein Host je Zeile; die Hosts darunter bleiben auch in Ruhe. Nichts von ihnen wird mehr abgerufen.";
    opted_out_wrong: "“{host}” is no host name; write it like example.org.", "„{host}“ ist kein Hostname; schreib ihn wie example.org.";
    opted_out_many: "At most {n} hosts.", "Höchstens {n} Hosts.";
    // Polls
    chart_span: "polls by hour, last 24 hours", "Abrufe je Stunde, letzte 24 Stunden";
    chart_none: "Nothing was polled in the last 24 hours", "In den letzten 24 Stunden wurde nichts abgerufen";
    chart_failed: "{n} % of the polls failed", "{n} % der Abrufe scheiterten";
    chart_new: "{n} % of the polls brought something new", "{n} % der Abrufe brachten Neues";
    hour: "hour", "Stunde";
    polls: "polls", "Abrufe";
    with_new: "with something new", "mit Neuem";
    failed: "failed", "gescheitert";
    most_at: "{n} polls", "{n} Abrufe";
    // Providers
    providers: "Requests by provider", "Anfragen je Anbieter";
    provider: "provider", "Anbieter";
    feeds: "feeds", "Feeds";
    requests: "requests", "Anfragen";
    failures: "failures", "Fehlschläge";
    day: "last 24 hours", "letzte 24 Stunden";
    none_asked: "Nobody was asked in the last 24 hours.", "In den letzten 24 Stunden wurde niemand gefragt.";
    other_providers: "{n} more provider|{n} more providers", "{n} weiterer Anbieter|{n} weitere Anbieter";
    // Jobs
    job: "job", "Aufgabe";
    last: "last", "zuletzt";
    next: "next", "nächste";
    job_polls: "Polling feeds", "Feeds abrufen";
    job_icons: "Site icons", "Website-Symbole";
    job_icons_due: "{n} due|{n} due", "{n} fällig|{n} fällig";
    job_keep: "Housekeeping", "Aufräumen";
    job_habits: "Learning when people read", "Lernen, wann gelesen wird";
    job_population: "Learning what feeds have in common", "Lernen, was Feeds gemeinsam haben";
    job_frontier: "Working out what polls give", "Ausrechnen, was Abrufe bringen";
    job_digest: "Learning what feeds are about", "Lernen, worum es in Feeds geht";
    job_index: "Search index of this process", "Suchindex dieses Prozesses";
    job_in_step: "in step", "auf dem Stand";
    job_behind: "up to {n} item behind|up to {n} items behind", "bis zu {n} Beitrag im Rückstand|bis zu {n} Beiträge im Rückstand";
    job_building: "being built: {done} of {of}", "wird aufgebaut: {done} von {of}";
    job_opening: "being opened", "wird geöffnet";
    job_always: "as items come", "sobald Beiträge kommen";
    job_daily: "daily", "täglich";
    job_hourly: "hourly", "stündlich";
    overdue: "{n} overdue|{n} overdue", "{n} überfällig|{n} überfällig";
    since_start: "{polls} polls, {failed} failed and {bytes} read since this process started",
        "{polls} Abrufe, {failed} gescheitert, {bytes} gelesen, seit dieser Prozess läuft";
    // Errors
    errors: "{n} feed does not work|{n} feeds do not work", "{n} Feed geht nicht|{n} Feeds gehen nicht";
    errors_none: "Every feed answers", "Alle Feeds antworten";
    feed: "feed", "Feed";
    what: "what is wrong", "was fehlt";
    since: "since", "seit";
    again: "next try", "nächster Versuch";
    followers: "followers", "Leser";
    // Disk
    disk: "The database is {size}", "Die Datenbank hat {size}";
    disk_items: "{size} of it are texts of items.", "{size} davon sind Texte von Einträgen.";
    size: "size", "Größe";
    items: "items", "Einträge";
    largest: "largest feeds", "größte Feeds";
    // People
    people: "People", "Personen";
    name: "name", "Name";
    unread: "unread", "ungelesen";
    sessions: "devices", "Geräte";
    last_seen: "last seen", "zuletzt gesehen";
    role_admin: "administrator", "Verwalter";
    is_disabled: "may not sign in", "darf sich nicht anmelden";
    is_invited: "has a link", "hat einen Link";
    you: "you", "du";
    change: "Change", "Ändern";
    change_label: "Change {name}", "{name} ändern";
    make_admin: "Make administrator", "Zum Verwalter machen";
    unmake_admin: "No longer administrator", "Nicht mehr Verwalter";
    disable: "Lock out", "Aussperren";
    enable: "Let in again", "Wieder hereinlassen";
    new_link: "New one-time link", "Neuer Einmal-Link";
    remove: "Remove with everything", "Mit allem entfernen";
    remove_hint: "Type {name} to remove the account with its feeds, marks and rules.",
        "Tipp {name}, um das Konto mit Feeds, Markierungen und Regeln zu entfernen.";
    remove_name: "Name, to be sure", "Name, zur Sicherheit";
    remove_wrong: "The name typed was another, so nobody was removed.", "Der getippte Name war ein anderer; niemand wurde entfernt.";
    last_admin: "This is the last administrator; make somebody else one first.",
        "Das ist der letzte Verwalter; mach erst jemand anderen dazu.";
    add: "Add somebody", "Jemanden hinzufügen";
    add_name: "Name", "Name";
    add_password: "Password", "Passwort";
    add_password_hint: "Leave it empty to get a one-time link with which the person chooses their own.",
        "Leer ergibt einen Einmal-Link, mit dem die Person selbst eines wählt.";
    add_admin: "Administrator", "Verwalter";
    add_do: "Add", "Hinzufügen";
    link_for: "Send {name} this link; it works once, for seven days, and is not shown again:",
        "Schick {name} diesen Link; er gilt einmal, sieben Tage lang, und wird nicht noch einmal gezeigt:";
    said_added: "The account is made.", "Das Konto ist angelegt.";
    said_removed: "The account is removed.", "Das Konto ist entfernt.";
    said_halted: "All fetching is stopped.", "Alles Abrufen ist angehalten.";
    said_resumed: "Fetching goes on.", "Das Abrufen geht weiter.";
    // The one-time link
    join_title: "Choose your password", "Wähle dein Passwort";
    join_lede: "An account was made for you here: {name}. With a password of your own you can begin.",
        "Hier wurde ein Konto für dich angelegt: {name}. Mit einem eigenen Passwort kannst du anfangen.";
    join_do: "Begin", "Anfangen";
    join_gone_title: "This link no longer works", "Dieser Link gilt nicht mehr";
    join_gone: "It was used already, is older than seven days, or is not whole. Ask the administrator for a new one.",
        "Er wurde schon benutzt, ist älter als sieben Tage oder nicht vollständig. Bitte den Verwalter um einen neuen.";
});
