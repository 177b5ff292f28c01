//! The list of a person's feeds, what is wrong with them, folders, and a feed's settings.

use super::words;

words!(FeedsWords {
    title: "Which feeds are worth it", "Welche Feeds sich lohnen";
    lede: "The last 90 days: what each feed brought and what you opened of it.",
        "Die letzten 90 Tage: was jeder Feed gebracht hat und was du davon geöffnet hast.";
    add: "Add feeds", "Feeds hinzufügen";
    folders: "Folders", "Ordner";
    export: "Export", "Exportieren";
    filters: "Show", "Zeigen";
    all: "All", "Alle";
    failing: "Failing", "Gescheitert";
    silent: "Silent", "Still";
    dead: "Dead", "Tot";
    noisy: "Noisy", "Laut";
    duplicate: "Duplicate", "Doppelt";
    unopened: "Never opened", "Nie geöffnet";
    paused: "Paused", "Angehalten";
    about_all: "Everything you follow.", "Alles, dem du folgst.";
    about_failing: "Their last check failed.", "Ihr letzter Abruf ist gescheitert.";
    about_silent: "Nothing new for 90 days. A feed may rest; nothing is lost by keeping it.",
        "Seit 90 Tagen nichts Neues. Ein Feed darf ruhen; ihn zu behalten kostet nichts.";
    about_dead: "Gone, or not found for 14 days. They may have moved.",
        "Verschwunden oder seit 14 Tagen nicht gefunden. Vielleicht sind sie umgezogen.";
    about_noisy: "They bring much of what you get, and you open little of it.",
        "Sie bringen viel von dem, was du bekommst, und du öffnest wenig davon.";
    about_duplicate: "At least 80 % of their items also come from another of your feeds.",
        "Mindestens 80 % ihrer Einträge kommen auch aus einem anderen deiner Feeds.";
    about_unopened: "They brought something, and you opened none of it.",
        "Sie haben etwas gebracht, und du hast nichts davon geöffnet.";
    about_paused: "They are not fetched for you until you resume them.",
        "Sie werden nicht für dich abgerufen, bis du sie fortsetzt.";
    none_here: "No feed is like that. Good.", "Kein Feed ist so. Gut.";
    none_at_all: "You follow no feeds yet.", "Du folgst noch keinen Feeds.";
    column_feed: "Feed", "Feed";
    column_folder: "Folder", "Ordner";
    column_read: "Opened by you", "Von dir geöffnet";
    column_rate: "Posts a day", "Beiträge am Tag";
    column_last: "Last item", "Letzter Eintrag";
    column_state: "State", "Zustand";
    column_actions: "Actions", "Aktionen";
    opened_of: "{opened} of {all}", "{opened} von {all}";
    nothing_came: "nothing came", "nichts gekommen";
    fine: "fine", "in Ordnung";
    new_feed: "not fetched yet", "noch nicht abgerufen";
    select: "Select {name}", "{name} auswählen";
    select_all: "Select all shown", "Alle gezeigten auswählen";
    actions_for: "Actions for {name}", "Aktionen für {name}";
    selected: "With the selected feeds:", "Mit den ausgewählten Feeds:";
    move_to: "Move to", "Verschieben nach";
    move_button: "Move", "Verschieben";
    pause: "Pause", "Anhalten";
    resume: "Resume", "Fortsetzen";
    unsubscribe: "Unsubscribe", "Abbestellen";
    mark_read: "Mark all read", "Alle als gelesen";
    about: "About this feed", "Über diesen Feed";
    edit: "Edit", "Ändern";
    check_now: "Check now", "Jetzt abrufen";
    find_address: "Find its new address", "Neue Adresse suchen";
    more: "{n} more|{n} more", "{n} weiterer|{n} weitere";
    few_choice: "Choose at least one feed.", "Wähle mindestens einen Feed.";
    // What was done
    did_unsubscribe: "Unsubscribed from {n} feed.|Unsubscribed from {n} feeds.", "{n} Feed abbestellt.|{n} Feeds abbestellt.";
    did_pause: "Paused {n} feed.|Paused {n} feeds.", "{n} Feed angehalten.|{n} Feeds angehalten.";
    did_resume: "Resumed {n} feed.|Resumed {n} feeds.", "{n} Feed fortgesetzt.|{n} Feeds fortgesetzt.";
    did_move: "Moved {n} feed.|Moved {n} feeds.", "{n} Feed verschoben.|{n} Feeds verschoben.";
    did_read: "{n} item marked read.|{n} items marked read.", "{n} Eintrag gelesen.|{n} Einträge gelesen.";
    did_undo: "Taken back.", "Zurückgenommen.";
    did_save: "Saved.", "Gespeichert.";
    did_refresh: "Checked: {n} new item.|Checked: {n} new items.", "Abgerufen: {n} neuer Eintrag.|Abgerufen: {n} neue Einträge.";
    did_folder: "The folder is made.", "Der Ordner ist angelegt.";
    did_rename: "The folder is renamed.", "Der Ordner ist umbenannt.";
    did_move_folder: "The folder is moved.", "Der Ordner ist verschoben.";
    did_remove_folder: "The folder is removed; its feeds are where it was.",
        "Der Ordner ist entfernt; seine Feeds liegen, wo er war.";
    too_late: "This can no longer be taken back.", "Das lässt sich nicht mehr zurücknehmen.";
    not_before: "Not before {time}: its publisher, or our own politeness, asks for a pause.",
        "Nicht vor {time}: Der Anbieter oder unsere eigene Höflichkeit verlangt eine Pause.";
    refresh_failed: "It was checked, and this came back: {why}", "Es wurde abgerufen, mit dieser Antwort: {why}";
    refresh_halted: "All fetching is stopped by the operator.", "Alles Abrufen ist vom Betreiber angehalten.";
    // What is wrong; each goes on after the feed's name
    this_feed: "This feed", "Dieser Feed";
    t_not_found: "has answered “not found” since {since}", "antwortet seit {since} mit „nicht gefunden“";
    t_gone: "has answered “gone for good” since {since}", "antwortet seit {since} mit „für immer weg“";
    t_busy: "has asked us to wait since {since}; its server is busy", "bittet seit {since} um Geduld; der Server ist überlastet";
    t_denied: "has refused us since {since}; it may want a password", "weist uns seit {since} ab; vielleicht will er ein Passwort";
    t_not_a_feed: "has sent a web page instead of a feed since {since}", "sendet seit {since} eine Webseite statt eines Feeds";
    t_failed: "has not answered properly since {since}", "antwortet seit {since} nicht richtig";
    t_refused: "has an address that leads into a private network, and this server does not go there",
        "hat eine Adresse, die in ein privates Netz führt, und dorthin geht dieser Server nicht";
    t_offline: "could not be asked since {since}: our own network was down",
        "konnte seit {since} nicht gefragt werden: Unser eigenes Netz war gestört";
    t_last_item: "; the last new item came on {date}.", "; der letzte neue Eintrag kam am {date}.";
    t_no_item: "; nothing ever came.", "; es kam noch nie etwas.";
    t_again: " We try again {when}.", " Wir versuchen es {when} wieder.";
    t_never_again: " We do not ask again by ourselves.", " Von selbst fragen wir nicht mehr.";
    t_silent: "has brought nothing since {date}.", "hat seit {date} nichts gebracht.";
    t_duplicate: "is a duplicate of {other}: {share} % of its items come from there too.",
        "ist doppelt: {share} % seiner Einträge kommen auch aus {other}.";
    t_noisy: "brings {share} % of all your items, and you opened {opened} of {all}.",
        "bringt {share} % all deiner Einträge, und du hast {opened} von {all} geöffnet.";
    t_paused: "is paused.", "ist angehalten.";
    // Folders
    folders_title: "Folders", "Ordner";
    folders_lede: "Folders may lie in folders. Removing one keeps its feeds.",
        "Ordner dürfen in Ordnern liegen. Wird einer entfernt, bleiben seine Feeds.";
    folder_new: "New folder", "Neuer Ordner";
    folder_in: "In", "In";
    folder_outside: "no other folder", "keinem anderen Ordner";
    folder_make: "Make it", "Anlegen";
    folder_rename: "Rename", "Umbenennen";
    folder_name_of: "Name of {name}", "Name von {name}";
    folder_place_of: "Where {name} lies", "Wo {name} liegt";
    folder_feeds: "{n} feed|{n} feeds", "{n} Feed|{n} Feeds";
    folder_none: "There are no folders yet.", "Es gibt noch keine Ordner.";
    folder_refused: "That does not work: a folder of that name is there already, it would lie in itself, or it would lie too deep. Choose another name or place.",
        "Das geht nicht: Dort gibt es schon einen Ordner dieses Namens, er läge in sich selbst oder zu tief. Wähle einen anderen Namen oder Ort.";
    folder_nameless: "Give the folder a name.", "Gib dem Ordner einen Namen.";
    // Settings of one feed
    edit_title: "Settings of {name}", "Einstellungen von {name}";
    own_name: "Your name for it", "Dein Name dafür";
    own_name_hint: "Empty: as it calls itself, {title}.", "Leer: wie er sich selbst nennt, {title}.";
    new_folder: "Or a new folder", "Oder ein neuer Ordner";
    full_text: "Fetch the full text of new items", "Bei neuen Einträgen den ganzen Text holen";
    full_text_hint: "Each article page is fetched once. For feeds that send only the beginning.",
        "Jede Artikelseite wird einmal geholt. Für Feeds, die nur den Anfang senden.";
    pause_switch: "Paused", "Angehalten";
    pause_hint: "Keeps its items and its place; brings nothing new.",
        "Behält seine Einträge und seinen Platz; bringt nichts Neues.";
    keep: "Keep items", "Einträge behalten";
    keep_days: "For days", "Für Tage";
    keep_count: "At most so many", "Höchstens so viele";
    keep_hint: "Empty: as the server does. Starred, tagged and unread items always stay.",
        "Leer: wie der Server. Markierte, verschlagwortete und ungelesene Einträge bleiben immer.";
    keep_wrong: "Give days and items as whole numbers from 1 to {n}, or leave them empty.|Give days and items as whole numbers from 1 to {n}, or leave them empty.",
        "Gib Tage und Einträge als ganze Zahlen von 1 bis {n} an oder lass sie leer.|Gib Tage und Einträge als ganze Zahlen von 1 bis {n} an oder lass sie leer.";
    address: "Address", "Adresse";
    address_wrong: "This is no address that can be followed; it should look like https://example.org/feed.",
        "Das ist keine Adresse, der man folgen kann; sie sollte aussehen wie https://example.org/feed.";
    access: "How it is asked", "Wie er gefragt wird";
    access_hint: "A password, another user agent or further headers make this feed yours alone.",
        "Ein Passwort, eine andere Kennung oder weitere Header machen diesen Feed zu deinem eigenen.";
    access_show: "Give it a password, another user agent or headers", "Passwort, andere Kennung oder Header angeben";
    access_switch: "Send this feed a password", "Diesem Feed ein Passwort senden";
    access_account: "Name at the feed", "Name beim Feed";
    access_key: "Password at the feed", "Passwort beim Feed";
    access_key_kept: "Empty keeps the one that is stored.", "Leer behält das gespeicherte.";
    access_sealed: "Stored encrypted, sent to the feed's own site only, never shown again.",
        "Verschlüsselt aufbewahrt, nur an die Website des Feeds gesendet, nie wieder gezeigt.";
    access_agent: "User agent", "Kennung (User-Agent)";
    access_agent_hint: "Empty: our own name, which tells publishers who asks. Keep it unless a site needs another.",
        "Leer: unser eigener Name, der Anbietern sagt, wer fragt. Lass ihn, wenn die Website keinen anderen braucht.";
    access_agent_wrong: "A user agent has 1 to 200 plain characters.", "Eine Kennung hat 1 bis 200 einfache Zeichen.";
    access_account_wrong: "Name and password may have at most 200 characters each, and the name no colon.",
        "Name und Passwort dürfen je höchstens 200 Zeichen haben, und der Name keinen Doppelpunkt.";
    access_headers_switch: "Send this feed further headers", "Diesem Feed weitere Header senden";
    access_headers: "Further headers", "Weitere Header";
    access_headers_hint: "One a line, such as X-Api-Key: value; at most 8.", "Einer je Zeile, etwa X-Api-Key: Wert; höchstens 8.";
    access_headers_kept: "Empty keeps those that are stored.", "Leer behält die gespeicherten.";
    access_header_wrong: "Line {n} of the headers cannot be sent. Write a name, a colon and a value; Host, User-Agent and others that belong to the request itself are not for this field.",
        "Zeile {n} der Header lässt sich nicht senden. Schreib Name, Doppelpunkt und Wert; Host, User-Agent und andere, die zur Anfrage selbst gehören, sind nichts für dieses Feld.";
    access_headers_many: "At most {n} further headers can be sent.", "Höchstens {n} weitere Header lassen sich senden.";
    access_has_headers: "This feed is sent further headers.", "Diesem Feed werden weitere Header gesendet.";
    access_is_sent: "This feed is sent a password.", "Diesem Feed wird ein Passwort gesendet.";
    access_is_named: "This feed is asked under another user agent.", "Dieser Feed wird unter einer anderen Kennung gefragt.";
    access_dropped: "The address is on another site now, so the password was not taken along, nor were further headers. Enter them again if that site needs them.",
        "Die Adresse liegt jetzt auf einer anderen Website, darum wurde das Passwort nicht mitgenommen, weitere Header auch nicht. Gib sie neu ein, wenn diese sie braucht.";
    candidates: "Feeds found at {place}", "Feeds gefunden auf {place}";
    candidates_none: "No feed was found there: {why}", "Dort wurde kein Feed gefunden: {why}";
    use_this: "Use this one", "Diesen nehmen";
    unsubscribe_hint: "Its starred and tagged items stay.", "Markierte und verschlagwortete Einträge bleiben.";
});
