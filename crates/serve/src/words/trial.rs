//! The blind trial of two rankers.

use super::words;

words!(TrialWords {
    title: "Blind trial", "Blindversuch";
    lede: "Two ways to rank For you in one list. You read as always; what you open decides.",
        "Zwei Arten, „Für dich“ zu ordnen, in einer Liste. Du liest wie immer; was du öffnest, entscheidet.";
    going: "Under way", "Im Gang";
    over: "Ended", "Beendet";
    since: "Since {when}", "Seit {when}";
    ranker: "ranker", "Ordnung";
    clicks: "opened", "geöffnet";
    wins: "lists won", "Listen gewonnen";
    is_winner: "winner", "Sieger";
    interval: "Of lists that one of them wins, {name} wins between {low} and {high} % (95 % sure, however often you look).",
        "Von Listen, die eine gewinnt, gewinnt {name} zwischen {low} und {high} % (zu 95 % sicher, so oft du auch hinsiehst).";
    winner: "{name} is better for you.", "{name} ist besser für dich.";
    open: "No winner yet, after {n} list in which you opened something.|No winner yet, after {n} lists in which you opened something.",
        "Noch kein Sieger, nach {n} Liste, in der du etwas geöffnet hast.|Noch kein Sieger, nach {n} Listen, in denen du etwas geöffnet hast.";
    end: "End the trial", "Versuch beenden";
    start_title: "Start a trial", "Versuch beginnen";
    one: "One", "Die eine";
    other: "The other", "Die andere";
    start_hint: "Rows do not say whose they are, nor why they are there, until you end it. Starting anew forgets the former numbers.",
        "Zeilen sagen weder, von wem sie sind, noch warum sie da sind, bis du ihn beendest. Ein neuer Versuch vergisst die alten Zahlen.";
    start: "Start", "Beginnen";
    same: "Choose two different ones.", "Wähle zwei verschiedene.";
    ranker_wellread: "Wellread", "Wellread";
    ranker_explore: "Topics with exploration (Sia 2009)", "Themen mit Erkundung (Sia 2009)";
    ranker_newest: "Newest first", "Neueste zuerst";
});
