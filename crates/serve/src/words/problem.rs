//! What is said when something went wrong.

use super::words;

words!(ProblemWords {
    to_front: "To the front page", "Zur Startseite";
    number: "Number of this request:", "Nummer dieser Anfrage:";
    not_found_title: "There is no such page", "Diese Seite gibt es nicht";
    not_found: "The address may be mistyped, or what was here belongs to somebody else or is gone.",
        "Die Adresse ist vielleicht vertippt, oder was hier war, gehört jemand anderem oder ist weg.";
    method_title: "This page cannot be used that way", "Diese Seite lässt sich so nicht benutzen";
    method: "The request used a method that this address does not know. Go back and follow a link instead.",
        "Die Anfrage nutzt eine Methode, die diese Adresse nicht kennt. Geh zurück und folge einem Link.";
    cross_site_title: "This request came from another site", "Diese Anfrage kam von einer anderen Website";
    cross_site: "A form was sent here by a page that is not Wellread's, so nothing was done. If you meant it, open the page here and send its form. If you see this behind a proxy, let it pass `Host` and `Origin` on unchanged.",
        "Ein Formular kam von einer Seite, die nicht zu Wellread gehört; nichts wurde getan. War es Absicht, öffne die Seite hier und sende ihr Formular. Hinter einem Proxy muss dieser `Host` und `Origin` unverändert weitergeben.";
    large_title: "That was too much at once", "Das war zu viel auf einmal";
    large: "The request was larger than this page accepts, so nothing was done.",
        "Die Anfrage war größer, als diese Seite annimmt; nichts wurde getan.";
    form_title: "This form could not be read", "Dieses Formular war nicht zu lesen";
    form: "What arrived was not the form of this page, so nothing was done. Go back, load the page again and repeat.",
        "Was ankam, war nicht das Formular dieser Seite; nichts wurde getan. Geh zurück, lade die Seite neu und wiederhole es.";
    slow_title: "This takes too long", "Das dauert zu lange";
    slow: "Wellread is busy or its database does not answer. Try again in a minute.",
        "Wellread ist beschäftigt oder seine Datenbank antwortet nicht. Versuch es in einer Minute noch einmal.";
    full_title: "The disk is full", "Die Platte ist voll";
    full: "Nothing more can be kept until the operator frees space, so what you sent was not saved.",
        "Bis der Betreiber Platz schafft, kann nichts mehr gespeichert werden; was du gesendet hast, wurde nicht gespeichert.";
    store_title: "The database does not answer", "Die Datenbank antwortet nicht";
    store: "Nothing was changed. Try again in a minute; the log of the server says what is wrong.",
        "Nichts wurde geändert. Versuch es in einer Minute noch einmal; das Protokoll des Servers sagt, was fehlt.";
    conflict_title: "That cannot be done now", "Das geht gerade nicht";
    conflict: "It does not fit what is there, so nothing was changed. Go back, load the page again and look.",
        "Es passt nicht zu dem, was da ist; nichts wurde geändert. Geh zurück, lade die Seite neu und sieh nach.";
    broken_title: "Something went wrong here", "Hier ist etwas schiefgegangen";
    broken: "This is a mistake in Wellread, not yours. Try again; if it stays, tell the operator the number below, which finds the reason in the log.",
        "Das ist ein Fehler in Wellread, nicht deiner. Versuch es noch einmal; bleibt er, nenne dem Betreiber die Nummer unten, die den Grund im Protokoll findet.";
    odd_title: "This request could not be answered", "Diese Anfrage ließ sich nicht beantworten";
    odd: "Something in the request was not understood, so nothing was done.",
        "Etwas an der Anfrage war unverständlich; nichts wurde getan.";
    link_wrong_title: "This set-up link does not work", "Dieser Einrichtungs-Link gilt nicht";
    link_wrong: "The link for setting up is printed in the terminal where Wellread runs, and changes with each start. Look there for the newest one, or run `wellread serve` again.",
        "Der Link zum Einrichten steht im Terminal, in dem Wellread läuft, und ist bei jedem Start ein anderer. Nimm den neuesten von dort oder starte `wellread serve` noch einmal.";
    closed_title: "Wellread is already set up", "Wellread ist schon eingerichtet";
    closed: "The first account exists, so this page is closed for good. An administrator can add more accounts, here or in the terminal: `wellread user add NAME`.",
        "Das erste Konto gibt es schon, darum bleibt diese Seite geschlossen. Weitere Konten legt ein Verwalter an, hier oder im Terminal: `wellread user add NAME`.";
    admin_title: "This page is for administrators", "Diese Seite ist für Verwalter";
    admin: "Your account may not look after the server. Ask an administrator.",
        "Dein Konto darf den Server nicht verwalten. Frag einen Verwalter.";
    sign_in_title: "You are not signed in", "Du bist nicht angemeldet";
    sign_in: "Sign in and repeat what you did; nothing was changed.",
        "Melde dich an und wiederhole es; nichts wurde geändert.";
    token_title: "This address needs a token", "Diese Adresse braucht ein Token";
    token: "Send `Authorization: Bearer TOKEN` with a token of an administrator (`wellread user token NAME`).",
        "Sende `Authorization: Bearer TOKEN` mit einem Token eines Verwalters (`wellread user token NAME`).";
    many_title: "Too many tries", "Zu viele Versuche";
    many: "Wait a little, then try again. The wait grows with each wrong try.",
        "Warte ein wenig und versuch es dann noch einmal. Die Wartezeit wächst mit jedem falschen Versuch.";
});
