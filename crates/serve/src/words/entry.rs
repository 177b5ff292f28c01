//! Setting up, signing in, signing out.

use super::words;
use crate::account::NAME_CHARS_MAX;
use crate::password::{BYTES_MAX, CHARS_MIN};

// The numbers are written out, because a sentence is translated as a whole; this line keeps them true.
const _: () = assert!(NAME_CHARS_MAX == 64 && CHARS_MIN == 10 && BYTES_MAX == 1024);

words!(Entry {
    name_empty: "Choose a name.", "Wähle einen Namen.";
    name_long: "This name is too long. Use at most 64 characters.", "Dieser Name ist zu lang. Höchstens 64 Zeichen.";
    name_invisible: "This name has characters that cannot be seen, such as line breaks. Type it again by hand.",
        "Dieser Name enthält unsichtbare Zeichen, etwa Zeilenumbrüche. Tipp ihn noch einmal von Hand.";
    name_taken: "There already is an account with this name. Choose another.",
        "Es gibt schon ein Konto mit diesem Namen. Wähle einen anderen.";
    password_short: "This password is too short. Use at least 10 characters.",
        "Dieses Passwort ist zu kurz. Mindestens 10 Zeichen.";
    password_long: "This password is too long. Use at most 1,024 bytes.",
        "Dieses Passwort ist zu lang. Höchstens 1.024 Bytes.";
    password_differs: "The two passwords differ. Type the same one again.",
        "Die beiden Passwörter sind verschieden. Tipp zweimal dasselbe.";
    name: "Name", "Name";
    password: "Password", "Passwort";
    password_again: "Password again", "Passwort noch einmal";
    password_hint: "At least 10 characters. Three or four unrelated words are good.",
        "Mindestens 10 Zeichen. Drei oder vier Wörter ohne Zusammenhang sind gut.";
    sign_in: "Sign in", "Anmelden";
    sign_in_title: "Sign in to Wellread", "Bei Wellread anmelden";
    sign_in_lede: "Your feeds, as you left them.", "Deine Feeds, wie du sie verlassen hast.";
    sign_in_wrong: "That name and password do not belong together. Try again.",
        "Name und Passwort passen nicht zusammen. Versuch es noch einmal.";
    sign_in_wait: "Too many wrong tries. Wait {n} second, then try again.|Too many wrong tries. Wait {n} seconds, then try again.",
        "Zu viele falsche Versuche. Warte {n} Sekunde und versuch es dann noch einmal.|Zu viele falsche Versuche. Warte {n} Sekunden und versuch es dann noch einmal.";
    forgotten: "Forgotten? Whoever runs this server sets a new password with", "Vergessen? Wer diesen Server betreibt, setzt ein neues Passwort mit";
    please_change: "Please change: ", "Bitte ändern: ";
    set_up: "Set up", "Einrichten";
    who_reads: "Welcome. Who reads here?", "Willkommen. Wer liest hier?";
    who_reads_lede: "Make the first account. It is the one that looks after this server.",
        "Lege das erste Konto an. Es ist das, das sich um diesen Server kümmert.";
    fields_wrong: "One field needs a change. No account was made yet.|{n} fields need a change. No account was made yet.",
        "Ein Feld muss geändert werden. Noch gibt es kein Konto.|{n} Felder müssen geändert werden. Noch gibt es kein Konto.";
    make_account: "Make the account", "Konto anlegen";
    then_title: "What comes then", "Wie es weitergeht";
    then_closes: "This page closes for good.", "Diese Seite schließt für immer.";
    then_closes_more: "The link from the terminal works once.", "Der Link aus dem Terminal gilt einmal.";
    then_bring: "You bring your feeds,", "Du bringst deine Feeds mit,";
    then_bring_more: "as an OPML file from another reader or one address at a time.",
        "als OPML-Datei aus einem anderen Leseprogramm oder Adresse für Adresse.";
    then_polls: "Polling starts at once,", "Das Abrufen beginnt sofort,";
    then_polls_more: "politely: no publisher is asked more often than it allows.",
        "höflich: kein Anbieter wird öfter gefragt, als er erlaubt.";
    kept_as: "The password is kept as an Argon2id hash. Nothing on this page is sent anywhere but to this server.",
        "Das Passwort wird als Argon2id-Hash aufbewahrt. Nichts von dieser Seite geht woandershin als an diesen Server.";
    unset_title: "Wellread has no account yet", "Wellread hat noch kein Konto";
    unset: "It runs. The terminal where it was started shows a link for setting up. Open that link; it works once.",
        "Es läuft. Das Terminal, in dem es gestartet wurde, zeigt einen Link zum Einrichten. Öffne ihn; er gilt einmal.";
    unset_gone: "The terminal is gone?", "Das Terminal ist weg?";
    unset_again: "Stop Wellread and run it again: each start prints a new link. Or make the account there, without a browser:",
        "Beende Wellread und starte es neu: jeder Start zeigt einen neuen Link. Oder lege das Konto dort an, ohne Browser:";
});
