//! The schedule: what polls are spent on, and what they give.

use super::words;

words!(ScheduleWords {
    title: "Schedule", "Zeitplan";
    lede: "Your {n} feed shares {polls} polls per feed and day. They go where posts are expected and before you read.|Your {n} feeds share {polls} polls per feed and day. They go where posts are expected and before you read.",
        "Dein {n} Feed teilt sich {polls} Abrufe je Feed und Tag. Sie gehen dorthin, wo Beiträge zu erwarten sind, und kommen, bevor du liest.|Deine {n} Feeds teilen sich {polls} Abrufe je Feed und Tag. Sie gehen dorthin, wo Beiträge zu erwarten sind, und kommen, bevor du liest.";
    lede_none: "Follow some feeds, and this page shows when they are checked and why.",
        "Folge ein paar Feeds, und diese Seite zeigt, wann sie abgerufen werden und warum.";
    how: "How this works", "Wie das geht";
    how_1: "Wellread learns from every poll how often each feed posts, at which hours and on which days, and from your visits when you read.",
        "Wellread lernt aus jedem Abruf, wie oft, zu welchen Stunden und an welchen Tagen ein Feed etwas bringt, und aus deinen Besuchen, wann du liest.";
    how_2: "Each poll has the same price everywhere. A feed is polled when what is likely to wait there is worth more than that price; the price is set so that all polls together stay within the budget.",
        "Jeder Abruf hat überall denselben Preis. Ein Feed wird abgerufen, wenn das, was dort wohl wartet, mehr wert ist; der Preis ist so gesetzt, dass alle Abrufe zusammen im Budget bleiben.";
    how_3: "No feed is asked more often than its publisher wants, none waits for ever, and when you open Wellread the feeds most likely to have something new are asked at once.",
        "Kein Feed wird öfter gefragt, als sein Herausgeber will, keiner wartet ewig, und wenn du Wellread öffnest, werden die Feeds gleich gefragt, die am ehesten Neues haben.";
    // The frontier
    frontier: "{n} polls a day, well placed, are as fresh as {even} spread evenly",
        "{n} gut gesetzte Abrufe am Tag sind so aktuell wie {even} gleichmäßig verteilte";
    frontier_beyond: "{n} polls a day, well placed, find posts after {delay}",
        "{n} gut gesetzte Abrufe am Tag finden Beiträge nach {delay}";
    frontier_none: "What more or fewer polls would give is not known yet; it takes some days of polling, and is worked out every hour.",
        "Was mehr oder weniger Abrufe brächten, ist noch nicht bekannt; das braucht einige Tage und wird stündlich berechnet.";
    frontier_end: "Floors allow no more polls than that.", "Mehr Abrufe als das lassen die Untergrenzen nicht zu.";
    ours: "Wellread", "Wellread";
    even: "spread evenly over feeds and hours", "gleichmäßig über Feeds und Stunden";
    even_short: "spread evenly", "gleichmäßig verteilt";
    axis: "mean delay from posting to found", "im Mittel vom Erscheinen bis gefunden";
    at: "{delay} with {n} polls", "{delay} mit {n} Abrufen";
    needs: "equal polling needs {n}", "gleichmäßig braucht es {n}";
    needs_more: "equal polling needs more than {n}", "gleichmäßig braucht es mehr als {n}";
    slider: "Polls per feed and day", "Abrufe je Feed und Tag";
    slider_admin: "re-plans when you let go, with Undo", "plant neu, wenn du loslässt, mit Rückgängig";
    slider_reader: "only to look: an administrator sets the budget", "nur zum Schauen: das Budget setzt ein Verwalter";
    slider_set: "Set the budget", "Budget setzen";
    did_set: "Budget set to {n} polls per feed and day", "Budget auf {n} Abrufe je Feed und Tag gesetzt";
    picture: "Mean delay against polls per feed and day. With {n} polls it is {delay}.",
        "Mittlere Verzögerung gegen Abrufe je Feed und Tag. Mit {n} Abrufen ist sie {delay}.";
    minutes: "{n} min", "{n} min";
    hours: "{n} h", "{n} h";
    // What came true
    kept: "Realised keeps to expected", "Was eintritt, hält sich an das Erwartete";
    kept_but: "Realised keeps to expected, but for {day}", "Was eintritt, hält sich an das Erwartete, außer am {day}";
    slower: "Posts are found later than expected", "Beiträge werden später gefunden als erwartet";
    sooner: "Posts are found sooner than expected", "Beiträge werden früher gefunden als erwartet";
    too_few: "Expected and realised", "Erwartet und eingetreten";
    too_few_text: "Not enough data: as soon as some posts with dates have been found, this shows how late, day by day.",
        "Noch zu wenig bekannt: Sobald einige Beiträge mit Datum gefunden sind, steht hier Tag für Tag, wie spät.";
    realised_today: "realised today", "heute eingetreten";
    realised_week: "realised this week", "diese Woche eingetreten";
    realised: "realised", "eingetreten";
    expected: "expected", "erwartet";
    lost: "item lost this week|items lost this week", "Eintrag diese Woche verloren|Einträge diese Woche verloren";
    of: "of {n}", "von {n}";
    today: "today", "heute";
    day: "day", "Tag";
    days_picture: "Mean delay of the last {n} days: expected {expected}, realised {realised}.",
        "Mittlere Verzögerung der letzten {n} Tage: erwartet {expected}, eingetreten {realised}.";
    // More or fewer
    more_title: "What more or fewer polls would give", "Was mehr oder weniger Abrufe brächten";
    polls: "polls", "Abrufe";
    delay: "mean delay", "im Mittel";
    requests: "requests a day", "Anfragen am Tag";
    compared: "compared", "im Vergleich";
    half: "half the requests", "halb so viele Anfragen";
    third_less: "a third fewer", "ein Drittel weniger";
    now: "now", "jetzt";
    now_default: "now, the default", "jetzt, der Standard";
    third_more: "a third more", "ein Drittel mehr";
    twice: "twice the requests", "doppelt so viele Anfragen";
    // Providers
    waits: "{n} provider asked us to wait|{n} providers asked us to wait",
        "{n} Anbieter bat uns zu warten|{n} Anbieter baten uns zu warten";
    yield_title: "{n} % of today's polls brought something new", "{n} % der heutigen Abrufe brachten Neues";
    quiet: "Nothing was polled today yet", "Heute wurde noch nichts abgerufen";
    so_far: "{n} poll so far today|{n} polls so far today", "{n} Abruf bisher heute|{n} Abrufe bisher heute";
    provider: "provider", "Anbieter";
    feeds: "feeds", "Feeds";
    nothing_new: "nothing new", "nichts Neues";
    note: "note", "Anmerkung";
    others: "{n} other host|{n} other hosts", "{n} weiterer Host|{n} weitere Hosts";
    busy: "busy: asked us to wait until {time}", "überlastet: bat uns bis {time} zu warten";
    whole: "no validators: every poll costs a whole document", "ohne Prüfmarken: jeder Abruf kostet ein ganzes Dokument";
    failing: "{n} not answering|{n} not answering", "{n} antwortet nicht|{n} antworten nicht";
    show: "show", "zeigen";
    // By hour
    before_reading: "Most polls go out before you read", "Die meisten Abrufe kommen, bevor du liest";
    by_hour: "Polls by hour", "Abrufe je Stunde";
    today_by_hour: "today, by hour", "heute, je Stunde";
    you_read: "you read", "du liest";
    now_mark: "now", "jetzt";
    hour: "hour", "Stunde";
    made: "polls", "Abrufe";
    to_come: "to come", "kommen noch";
    hours_picture: "Polls by hour today: {made} so far, about {coming} to come.",
        "Abrufe je Stunde heute: {made} bisher, etwa {coming} kommen noch.";
    // Floors
    floors: "{n} feed sits on a floor|{n} feeds sit on a floor", "{n} Feed steht an einer Untergrenze|{n} Feeds stehen an einer Untergrenze";
    floors_none: "No feed sits on a floor", "Kein Feed steht an einer Untergrenze";
    floors_text: "They could be polled more usefully, but not more politely.",
        "Sie könnten nützlicher abgerufen werden, aber nicht höflicher.";
    floor_own: "our own least interval", "unser eigener Mindestabstand";
    floor_asked: "the publisher's interval", "der Abstand, den der Herausgeber nennt";
    floor_fresh: "the publisher says nothing changes before", "laut Herausgeber ändert sich vorher nichts";
    floor_busy: "asked to wait", "um Geduld gebeten";
    floor_skip: "hours the publisher wants to be left alone", "Stunden, in denen der Herausgeber Ruhe will";
    ceiling: "{n} posts so rarely that the longest interval holds|{n} post so rarely that the longest interval holds",
        "{n} bringt so selten etwas, dass der längste Abstand gilt|{n} bringen so selten etwas, dass der längste Abstand gilt";
    // The rail
    used_today: "{used} of {n} polls a feed used today", "{used} von {n} Abrufen je Feed heute";
});
