//! Settings: account, sessions, tokens, reading, time and language, taking everything along.

use super::words;

words!(SettingsWords {
    title: "Settings", "Einstellungen";
    lede: "How you read, who may sign in as you, and a way to take everything along.",
        "Wie du liest, wer sich als du anmelden darf, und wie du alles mitnimmst.";
    places: "Pages", "Seiten";
    sign_out: "Sign out", "Abmelden";
    // Reading
    comfort: "Reading", "Lesen";
    theme: "Theme", "Farben";
    theme_system: "System", "System";
    theme_light: "Light", "Hell";
    theme_dark: "Dark", "Dunkel";
    font: "Font of texts", "Schrift der Texte";
    font_serif: "Serif", "Serifen";
    font_sans: "Sans", "Serifenlos";
    size: "Size of texts", "Größe der Texte";
    width: "Width of texts", "Breite der Texte";
    width_narrow: "Narrow", "Schmal";
    width_normal: "Normal", "Normal";
    width_wide: "Wide", "Breit";
    density: "Rows", "Zeilen";
    order: "Order", "Reihenfolge";
    mark_read: "An item counts as read", "Ein Eintrag gilt als gelesen";
    mark_open: "when it is opened", "wenn er geöffnet wird";
    mark_scroll: "when it was scrolled past", "wenn er vorbeigescrollt ist";
    mark_delay: "after being open for {n} s", "nachdem er {n} s offen war";
    mark_never: "only when marked by hand", "nur wenn du ihn selbst markierst";
    hide_read: "Folders and feeds show", "Ordner und Feeds zeigen";
    hide_yes: "Unread only", "Nur Ungelesenes";
    hide_no: "Everything", "Alles";
    group: "The same story in several feeds", "Dieselbe Meldung in mehreren Feeds";
    group_yes: "One row", "Eine Zeile";
    group_no: "A row each", "Je eine Zeile";
    start: "Begin with", "Beginnen mit";
    images: "Pictures come", "Bilder kommen";
    images_proxy: "through this server: publishers do not see you read",
        "über diesen Server: Herausgeber sehen nicht, dass du liest";
    images_direct: "straight from the publisher", "direkt vom Herausgeber";
    images_none: "not at all", "gar nicht";
    preview_title: "The harbour clerks who measured the sea", "Die Hafenschreiber, die das Meer maßen";
    preview: "In the ledger room at Port Ansel the shelves run from floor to rafters, and every book on them says the same thing four times a day: how high the water stood against a painted board.",
        "In der Bücherkammer von Port Ansel reichen die Regale vom Boden bis unters Dach, und jedes Buch sagt viermal am Tag dasselbe: wie hoch das Wasser an einem bemalten Brett stand.";
    // Time and language
    place: "Time and language", "Zeit und Sprache";
    zone: "Time zone", "Zeitzone";
    zone_hint: "Leave it empty to take the browser's at your next sign-in.",
        "Leer übernimmt sie beim nächsten Anmelden vom Browser.";
    zone_wrong: "There is no such time zone. Choose one from the list, such as Europe/Berlin.",
        "Diese Zeitzone gibt es nicht. Wähle eine aus der Liste, etwa Europe/Berlin.";
    language: "Language", "Sprache";
    language_browser: "As the browser asks", "Wie der Browser es möchte";
    // Saving elsewhere
    save_to: "Save elsewhere", "Woanders ablegen";
    save_to_lede: "These appear in an item's share menu and open with its link, in your browser.",
        "Diese stehen im Teilen-Menü eines Eintrags und öffnen sich mit seinem Link, in deinem Browser.";
    save_to_name: "Name", "Name";
    save_to_name_hint: "{known}: their name is enough.", "{known}: der Name genügt.";
    save_to_address: "Address", "Adresse";
    save_to_address_hint: "With {url} where the link goes, and {title} if it takes one.",
        "Mit {url} an der Stelle des Links und, wenn gewünscht, {title}.";
    save_to_add: "Add", "Hinzufügen";
    save_to_remove_label: "No longer save to {name}", "Nicht mehr in {name} ablegen";
    save_to_wrong: "The address must begin with https:// and hold {url} where the link goes. Nothing was added.",
        "Die Adresse muss mit https:// beginnen und {url} an der Stelle des Links enthalten. Nichts wurde hinzugefügt.";
    save_to_many: "There is room for {n} services. Remove one first.", "Es ist Platz für {n} Dienste. Entferne erst einen.";
    // Account
    account: "Account", "Konto";
    name: "Name", "Name";
    name_taken: "There already is an account with this name. Choose another.",
        "Ein Konto mit diesem Namen gibt es schon. Wähle einen anderen.";
    rename: "Change name", "Namen ändern";
    old_password: "Password now", "Jetziges Passwort";
    new_password: "New password", "Neues Passwort";
    again: "New password again", "Neues Passwort noch einmal";
    end_others: "Sign out everywhere else", "Überall sonst abmelden";
    change_password: "Change password", "Passwort ändern";
    old_wrong: "That is not your password. Nothing was changed.", "Das ist nicht dein Passwort. Nichts wurde geändert.";
    // Sessions
    sessions: "Signed-in devices", "Angemeldete Geräte";
    device: "device", "Gerät";
    address: "address", "Adresse";
    last_seen: "last seen", "zuletzt gesehen";
    since: "since", "seit";
    this_one: "this one", "dieses";
    end: "Sign out", "Abmelden";
    end_label: "Sign out {device}", "{device} abmelden";
    end_all: "Sign out everywhere else", "Überall sonst abmelden";
    ended: "That device is signed out.", "Das Gerät ist abgemeldet.";
    ended_others: "{n} other device was signed out.|{n} other devices were signed out.",
        "{n} anderes Gerät wurde abgemeldet.|{n} andere Geräte wurden abgemeldet.";
    // Tokens
    tokens: "Tokens for apps", "Tokens für Apps";
    tokens_lede: "An app signs in as you with a token instead of your password. Each can be taken back.",
        "Eine App meldet sich mit einem Token statt mit deinem Passwort an. Jedes lässt sich zurücknehmen.";
    tokens_none: "There are none yet.", "Es gibt noch keine.";
    token_for: "for", "für";
    token_made: "made", "erstellt";
    token_used: "last used", "zuletzt benutzt";
    token_label: "What is it for?", "Wofür ist es?";
    token_add: "Make a token", "Token erstellen";
    token_remove_label: "Take back the token for {name}", "Token für {name} zurücknehmen";
    token_take_back: "Take back", "Zurücknehmen";
    token_shown: "Copy it now; it is not shown again:", "Kopiere es jetzt; es wird nicht noch einmal gezeigt:";
    token_unnamed: "Say what the token is for, in at most 100 characters.",
        "Sag, wofür das Token ist, in höchstens 100 Zeichen.";
    token_many: "There are {n} tokens, which is the most. Take one back first.",
        "Es gibt {n} Tokens, mehr gehen nicht. Nimm erst eines zurück.";
    token_gone: "The token no longer works.", "Das Token gilt nicht mehr.";
    // Everything
    everything: "Take everything along", "Alles mitnehmen";
    export_lede: "One file with your feeds, folders, rules, settings, and every starred or tagged item with its text. Passwords of feeds stay here.",
        "Eine Datei mit deinen Feeds, Ordnern, Regeln, Einstellungen und jedem markierten oder verschlagworteten Eintrag samt Text. Passwörter von Feeds bleiben hier.";
    export_json: "Download everything", "Alles herunterladen";
    export_opml: "Feeds as OPML", "Feeds als OPML";
    import_file: "Bring such a file back", "So eine Datei zurückbringen";
    import_hint: "Nothing here is removed. Up to {n} MB; feeds alone come by OPML.",
        "Nichts hier wird entfernt. Bis {n} MB; Feeds allein kommen per OPML.";
    import_opml: "Import OPML", "OPML importieren";
    import_do: "Bring back", "Zurückbringen";
    import_bad: "This is not a file that Wellread wrote, or it is cut off. Nothing was changed.",
        "Diese Datei hat nicht Wellread geschrieben, oder sie ist abgeschnitten. Nichts wurde geändert.";
    imported: "Brought back: {feeds} feeds, {rules} rules, marks on {items} items.{rest}",
        "Zurückgebracht: {feeds} Feeds, {rules} Regeln, Markierungen an {items} Einträgen.{rest}";
    import_waiting: " {n} item is not here yet; bring the file again after its feed was fetched.| {n} items are not here yet; bring the file again after their feeds were fetched.",
        " {n} Eintrag ist noch nicht hier; bring die Datei noch einmal, wenn sein Feed abgerufen ist.| {n} Einträge sind noch nicht hier; bring die Datei noch einmal, wenn ihre Feeds abgerufen sind.";
    saved: "Saved.", "Gespeichert.";
    password_changed: "Your password is changed.", "Dein Passwort ist geändert.";
    renamed: "Your name is changed.", "Dein Name ist geändert.";
});
