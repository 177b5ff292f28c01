//! Friends and what they share; what is popular on this server.

use super::words;

words!(FriendWords {
    title: "Friends", "Freunde";
    lede: "What people you follow here show you, with their notes.",
        "Was dir Leute zeigen, denen du hier folgst, mit ihren Notizen.";
    empty_title: "Nothing shared yet", "Noch nichts geteilt";
    empty: "Ask somebody on this server whether you may follow them. What they share then stands here.",
        "Frag jemanden auf diesem Server, ob du folgen darfst. Was die Person teilt, steht dann hier.";
    shared_list: "Shared with you", "Mit dir geteilt";
    by: "{name} shared this", "{name} hat das geteilt";
    by_you: "You share this", "Du teilst das";
    original: "Original", "Original";
    withdraw: "Withdraw", "Zurückziehen";
    withdraw_label: "Withdraw “{title}”", "„{title}“ zurückziehen";
    older: "Older", "Ältere";
    // Asking and answering
    ask_title: "Follow somebody", "Jemandem folgen";
    ask_label: "Their name on this server", "Name auf diesem Server";
    ask: "Ask", "Fragen";
    ask_hint: "If there is somebody of this name, they are asked. They decide, and nobody else learns of it.",
        "Gibt es jemanden mit diesem Namen, wird die Person gefragt. Sie entscheidet, und sonst erfährt niemand davon.";
    waiting_title: "Want to follow you", "Möchten dir folgen";
    agree: "Agree", "Zustimmen";
    agree_label: "Agree: {name} may follow you", "Zustimmen: {name} darf dir folgen";
    refuse: "Refuse", "Ablehnen";
    refuse_label: "Refuse: {name} may not follow you", "Ablehnen: {name} darf dir nicht folgen";
    asked_title: "You asked", "Du hast gefragt";
    take_back: "Take back", "Zurücknehmen";
    take_back_label: "Take back asking {name}", "Die Frage an {name} zurücknehmen";
    follows_title: "You follow", "Du folgst";
    leave: "Stop following", "Nicht mehr folgen";
    leave_label: "Stop following {name}", "{name} nicht mehr folgen";
    followers_title: "Follow you", "Folgen dir";
    remove: "Remove", "Entfernen";
    remove_label: "Remove: {name} may follow you no longer", "Entfernen: {name} darf dir nicht mehr folgen";
    own_title: "What you share", "Was du teilst";
    own_none: "Open an item and choose Share.", "Öffne einen Eintrag und wähle Teilen.";
    // The address
    address_title: "As a feed", "Als Feed";
    address_hint: "Whoever has the secret address can follow what you share, from anywhere. Making a new one ends the old one.",
        "Wer die geheime Adresse hat, kann von überall verfolgen, was du teilst. Eine neue beendet die alte.";
    address_made: "The address was made {when}. It is not shown again.",
        "Die Adresse wurde {when} angelegt. Sie wird nicht noch einmal gezeigt.";
    address_new: "Copy it now; it is shown once:", "Kopiere sie jetzt; sie wird nur einmal gezeigt:";
    address_make: "Make an address", "Adresse anlegen";
    address_renew: "Make a new address", "Neue Adresse anlegen";
    address_drop: "End it", "Beenden";
    feed_title: "Shared by {name}", "Geteilt von {name}";
    // In an item
    note: "A note for your friends", "Eine Notiz für deine Freunde";
    share: "Share with friends", "Mit Freunden teilen";
    share_again: "Change the note", "Notiz ändern";
    never: "Items of a feed with credentials are never shared. Send the link yourself if you may.",
        "Einträge eines Feeds mit Zugangsdaten werden nie geteilt. Schick den Link selbst, wenn du darfst.";
    shared_toast: "Shared with who follows you.", "Mit denen geteilt, die dir folgen.";
    withdrawn_toast: "Withdrawn.", "Zurückgezogen.";
    // What a form did
    said_asked: "If there is somebody of that name, they have been asked.",
        "Gibt es jemanden mit diesem Namen, ist die Person jetzt gefragt.";
    said_agreed: "They follow you now.", "Die Person folgt dir jetzt.";
    said_refused: "They were not told.", "Die Person erfährt nichts davon.";
    said_taken_back: "The request is taken back.", "Die Frage ist zurückgenommen.";
    said_left: "You follow them no longer.", "Du folgst der Person nicht mehr.";
    said_removed: "They follow you no longer.", "Die Person folgt dir nicht mehr.";
    said_address_gone: "The address leads nowhere now.", "Die Adresse führt jetzt ins Leere.";
    own_name: "That is your own name. Type the name of somebody else.",
        "Das ist dein eigener Name. Gib den Namen von jemand anderem ein.";
    too_many: "You have asked 20 people. Take a request back first, or wait for an answer.",
        "Du hast 20 Leute gefragt. Nimm erst eine Frage zurück oder warte auf eine Antwort.";
    no_name: "Type a name.", "Gib einen Namen ein.";
    full: "There is no room for more: 500 people at most. Remove somebody first.",
        "Es ist kein Platz mehr: höchstens 500 Leute. Entferne erst jemanden.";
    // Popular
    popular_title: "Popular here", "Beliebt hier";
    popular_lede: "What people of this server opened in the last {n} day, without names, from 5 people on.|What people of this server opened in the last {n} days, without names, from 5 people on.",
        "Was Leute dieses Servers am letzten {n} Tag geöffnet haben, ohne Namen, ab 5 Leuten.|Was Leute dieses Servers in den letzten {n} Tagen geöffnet haben, ohne Namen, ab 5 Leuten.";
    popular_people: "{n} or more readers|{n} or more readers", "{n} oder mehr Leser|{n} oder mehr Leser";
    popular_empty_title: "Nothing was opened by 5 people", "Nichts wurde von 5 Leuten geöffnet";
    popular_empty: "What fewer opened is shown to nobody. Look again when more people have read.",
        "Was weniger geöffnet haben, wird niemandem gezeigt. Sieh wieder nach, wenn mehr gelesen wurde.";
    popular_off_title: "Switched off", "Abgeschaltet";
    popular_off: "Whoever runs this server does not show what is popular.",
        "Wer diesen Server betreibt, zeigt nicht, was beliebt ist.";
    count_me: "Count what I open", "Zählen, was ich öffne";
    count_hint: "Only how many is shown, never who. Without it nothing of yours counts, from now on and in the past.",
        "Gezeigt wird nur, wie viele, nie wer. Ohne Häkchen zählt nichts von dir, weder künftig noch bisher.";
    channels: "Popular channels", "Beliebte Kanäle";
    items: "Popular items", "Beliebte Einträge";
});
