//! Rules: hide, mark read, star, tag.

use super::words;

words!(Rules {
    phrase: "{conditions}: {action}", "{conditions}: {action}";
    within: "{rule} (in {place})", "{rule} (in {place})";
    and: " and ", " und ";
    field_anywhere: "title or text", "Titel oder Text";
    field_title: "title", "Titel";
    field_text: "text", "Text";
    field_author: "author", "Autor";
    field_link: "link", "Link";
    field_tag: "tag", "Schlagwort";
    field_language: "language", "Sprache";
    has_words: "{field} has “{pattern}”", "{field} enthält „{pattern}“";
    lacks_words: "{field} lacks “{pattern}”", "{field} enthält nicht „{pattern}“";
    has_phrase: "{field} has “{pattern}”", "{field} enthält „{pattern}“";
    lacks_phrase: "{field} lacks “{pattern}”", "{field} enthält nicht „{pattern}“";
    has_regex: "{field} matches /{pattern}/", "{field} passt auf /{pattern}/";
    lacks_regex: "{field} does not match /{pattern}/", "{field} passt nicht auf /{pattern}/";
    do_hide: "hide", "ausblenden";
    do_read: "mark read", "als gelesen";
    do_star: "star", "markieren";
    do_tag: "tag “{tag}”", "Schlagwort „{tag}“";
    from_item: "Make a rule from this", "Eine Regel daraus machen";
    from_author: "Make a rule for this author", "Eine Regel für diesen Autor machen";
    // The list
    title: "Rules", "Regeln";
    lede: "Standing orders for what comes in. All of them look at every new item of their feeds.",
        "Daueraufträge für alles, was hereinkommt. Alle sehen jeden neuen Eintrag ihrer Feeds.";
    new: "New rule", "Neue Regel";
    rule: "rule", "Regel";
    state: "state", "Zustand";
    turn_on: "Turn on", "Einschalten";
    turn_off: "Turn off", "Ausschalten";
    turn_on_label: "Turn on: {rule}", "Einschalten: {rule}";
    turn_off_label: "Turn off: {rule}", "Ausschalten: {rule}";
    edit_label: "Edit: {rule}", "Ändern: {rule}";
    remove_label: "Remove: {rule}", "Entfernen: {rule}";
    removed: "Removed: {rule}. What it did stays done.", "Entfernt: {rule}. Was sie getan hat, bleibt getan.";
    restored: "The rule is back.", "Die Regel ist wieder da.";
    saved: "The rule is saved and works from now on.", "Die Regel ist gespeichert und wirkt ab jetzt.";
    saved_applied: "The rule is saved, and {n} item here was changed.|The rule is saved, and {n} items here were changed.",
        "Die Regel ist gespeichert, und {n} Eintrag hier wurde geändert.|Die Regel ist gespeichert, und {n} Einträge hier wurden geändert.";
    switched_off: "Switched off by the server: {why}", "Vom Server ausgeschaltet: {why}";
    empty_title: "No rules yet", "Noch keine Regeln";
    empty: "A rule hides, stars, tags or marks read what you describe by words. You can try it on the last 1,000 items before you keep it.",
        "Eine Regel blendet aus, markiert, verschlagwortet oder liest, was du mit Worten beschreibst. Du kannst sie an den letzten 1.000 Einträgen ausprobieren, bevor du sie behältst.";
    see_hidden: "See what is hidden", "Ausgeblendetes ansehen";
    // The form
    edit_title: "Edit rule", "Regel ändern";
    scope: "In", "In";
    scope_all: "everything", "allem";
    scope_folders: "Folders", "Ordner";
    scope_feeds: "Feeds", "Feeds";
    when: "When", "Wenn";
    and_when: "and", "und";
    field: "Where to look", "Wo gesucht wird";
    has: "has", "enthält";
    lacks: "lacks", "enthält nicht";
    relation: "Has or lacks", "Enthält oder nicht";
    kind: "What to look for", "Was gesucht wird";
    kind_words: "any of these words", "eines dieser Wörter";
    kind_phrase: "this phrase", "diese Wortfolge";
    kind_regex: "this regular expression", "diesen regulären Ausdruck";
    pattern: "Words, phrase or expression", "Wörter, Wortfolge oder Ausdruck";
    pattern_hint: "Words are separated by commas. Case never matters.", "Wörter werden durch Kommas getrennt. Groß und klein ist gleich.";
    add_condition: "Add a condition", "Bedingung hinzufügen";
    drop_condition: "Drop this condition", "Diese Bedingung weglassen";
    then: "Then", "Dann";
    then_hide: "hide it", "ausblenden";
    then_read: "mark it read", "als gelesen markieren";
    then_star: "star it", "markieren";
    then_tag: "tag it", "verschlagworten";
    tag: "Tag", "Schlagwort";
    apply: "Apply to what is there too (the last 1,000 items)", "Auch auf Vorhandenes anwenden (die letzten 1.000 Einträge)";
    try_it: "Try it", "Ausprobieren";
    try_hint: "Nothing changes by trying.", "Durch Ausprobieren ändert sich nichts.";
    would_hide: "Would hide {hits} of the last {n} items", "Würde {hits} der letzten {n} Einträge ausblenden";
    would_read: "Would mark {hits} of the last {n} items read", "Würde {hits} der letzten {n} Einträge als gelesen markieren";
    would_star: "Would star {hits} of the last {n} items", "Würde {hits} der letzten {n} Einträge markieren";
    would_tag: "Would tag {hits} of the last {n} items", "Würde {hits} der letzten {n} Einträge verschlagworten";
    would_none: "Would touch none of the last {n} items. Check the spelling, or keep it for what is to come.",
        "Würde keinen der letzten {n} Einträge betreffen. Prüf die Schreibweise, oder behalte sie für Kommendes.";
    would_nothing: "There are no items here yet to try it on.", "Hier gibt es noch keine Einträge zum Ausprobieren.";
    first_hits: "The first {n}:", "Die ersten {n}:";
    too_slow: "Trying stopped after {n} s; the numbers are for what was looked at.", "Das Ausprobieren endete nach {n} s; die Zahlen gelten für das Angesehene.";
    over_budget: "On some items this expression would take too much work; the server would switch the rule off. Make it simpler.",
        "Bei manchen Einträgen wäre dieser Ausdruck zu viel Arbeit; der Server würde die Regel ausschalten. Mach ihn einfacher.";
    // What is wrong with a rule
    bad_none: "A rule needs at least one condition.", "Eine Regel braucht mindestens eine Bedingung.";
    bad_many: "A rule has at most {n} conditions; make two rules of it.", "Eine Regel hat höchstens {n} Bedingungen; mach zwei Regeln daraus.";
    bad_empty: "Write what to look for.", "Schreib, wonach gesucht wird.";
    bad_long: "At most {n} characters; make it shorter.", "Höchstens {n} Zeichen; kürze es.";
    bad_words: "At most {n} words; make two rules of it.", "Höchstens {n} Wörter; mach zwei Regeln daraus.";
    bad_syntax: "This regular expression cannot be read: {why}.", "Dieser reguläre Ausdruck ist nicht zu lesen: {why}.";
    bad_unsupported: "Look-around and back-references are not supported; try it without them.",
        "Vor- und Rückschau und Rückverweise gibt es hier nicht; versuch es ohne sie.";
    bad_complex: "This regular expression is too complex; use smaller repetitions.",
        "Dieser reguläre Ausdruck ist zu aufwendig; nimm kleinere Wiederholungen.";
    bad_tag: "Write the tag to give.", "Schreib, welches Schlagwort vergeben wird.";
    bad_tag_long: "A tag has at most {n} characters; make it shorter.", "Ein Schlagwort hat höchstens {n} Zeichen; kürze es.";
    bad_scope: "This feed or folder is not yours any more; choose another.", "Diesen Feed oder Ordner hast du nicht mehr; wähle einen anderen.";
    bad_full: "There are {n} rules already, which is the most. Remove one first.", "Es gibt schon {n} Regeln, mehr gehen nicht. Entferne erst eine.";
});
