//! The page of a person's own tags.

use super::words;

words!(TagWords {
    title: "Tags", "Schlagwörter";
    lede: "{tags}, {items}.", "{tags}, {items}.";
    n_tags: "{n} tag|{n} tags", "{n} Schlagwort|{n} Schlagwörter";
    n_marks: "used once|used {n} times", "einmal vergeben|{n}-mal vergeben";
    tag: "tag", "Schlagwort";
    items: "items", "Einträge";
    share: "share", "Anteil";
    rename: "Rename", "Umbenennen";
    rename_label: "New name for “{tag}”", "Neuer Name für „{tag}“";
    rename_hint: "A name that exists takes these items in.", "Ein Name, den es gibt, nimmt diese Einträge auf.";
    remove: "Remove", "Entfernen";
    remove_label: "Remove the tag “{tag}”", "Schlagwort „{tag}“ entfernen";
    empty_title: "No tags yet", "Noch keine Schlagwörter";
    empty: "Press t on an item, or make a rule that tags what comes in. Tagged items are always kept.",
        "Drück t bei einem Eintrag, oder leg eine Regel an, die Neues verschlagwortet. Solche Einträge bleiben immer erhalten.";
    make_rule: "Make a rule", "Regel anlegen";
    renamed: "“{from}” is “{to}” now.", "„{from}“ heißt jetzt „{to}“.";
    merged: "“{from}” was merged into “{to}”.", "„{from}“ ist in „{to}“ aufgegangen.";
    removed: "The tag “{from}” is removed.", "Das Schlagwort „{from}“ ist entfernt.";
    name_wrong: "A tag needs a name of 1 to {n} characters, without a comma.",
        "Ein Schlagwort braucht einen Namen mit 1 bis {n} Zeichen, ohne Komma.";
});
