//! What every page shows: the rail, bars, buttons, times.

use super::words;

words!(Common {
    skip: "Skip to the text", "Zum Text springen";
    views: "Views and feeds", "Ansichten und Feeds";
    menu: "Menu", "Menü";
    newest: "Newest", "Neueste";
    unread: "Unread", "Ungelesen";
    starred: "Starred", "Markiert";
    tags: "Tags", "Schlagwörter";
    hidden: "Hidden", "Ausgeblendet";
    feeds: "Feeds", "Feeds";
    rules: "Rules", "Regeln";
    settings: "Settings", "Einstellungen";
    admin: "Server", "Server";
    help: "Keys", "Tasten";
    more: "More", "Mehr";
    add_feed: "Add a feed", "Feed hinzufügen";
    about_fetcher: "About our fetcher", "Über unseren Abrufer";
    show_folder: "Show the feeds of {name}", "Feeds von {name} zeigen";
    hide_folder: "Hide the feeds of {name}", "Feeds von {name} verbergen";
    failing: "does not answer", "antwortet nicht";
    paused: "paused", "angehalten";
    next_check: "Next check {when}", "Nächster Abruf {when}";
    checking_now: "Checking feeds now", "Feeds werden gerade abgerufen";
    no_check: "Waiting for a first feed", "Wartet auf einen ersten Feed";
    halted: "Fetching is stopped by the operator", "Das Abrufen ist vom Betreiber angehalten";
    save: "Save", "Speichern";
    cancel: "Cancel", "Abbrechen";
    undo: "Undo", "Rückgängig";
    close: "Close", "Schließen";
    remove: "Remove", "Entfernen";
    edit: "Edit", "Ändern";
    back: "Back", "Zurück";
    saved: "Saved.", "Gespeichert.";
    on: "On", "An";
    off: "Off", "Aus";
    never: "never", "nie";
    unknown: "not known yet", "noch nicht bekannt";
    not_enough: "not enough data", "nicht genug Daten";
    // Times
    now: "now", "jetzt";
    minutes: "{n} min", "{n} min";
    hours: "{n} h", "{n} h";
    days: "{n} d", "{n} T";
    in_minutes: "in {n} min", "in {n} min";
    in_hours: "in {n} h", "in {n} h";
    in_days: "in {n} d", "in {n} T";
    today: "Today, {time}", "Heute, {time}";
    yesterday: "Yesterday, {time}", "Gestern, {time}";
    day_at: "{day}, {time}", "{day}, {time}";
    monday: "Mon", "Mo";
    tuesday: "Tue", "Di";
    wednesday: "Wed", "Mi";
    thursday: "Thu", "Do";
    friday: "Fri", "Fr";
    saturday: "Sat", "Sa";
    sunday: "Sun", "So";
    months: "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
        "Jan Feb März Apr Mai Juni Juli Aug Sep Okt Nov Dez";
    day_month: "{day} {month}", "{day}. {month}";
    day_month_year: "{day} {month} {year}", "{day}. {month} {year}";
    // Sent to the script
    offline: "You are offline. What you do is kept and sent later.",
        "Du bist offline. Was du tust, wird aufgehoben und später gesendet.";
    back_online: "You are online again; everything was sent.", "Du bist wieder online; alles wurde gesendet.";
    not_done: "That was not saved and has been put back: {why}", "Das wurde nicht gespeichert und ist zurückgenommen: {why}";
    signed_out_elsewhere: "You were signed out. Sign in to go on.", "Du wurdest abgemeldet. Melde dich an, um weiterzumachen.";
    copied: "The link is copied.", "Der Link ist kopiert.";
    undone: "Taken back.", "Zurückgenommen.";
});
