//! One item, open.

use super::words;

words!(ItemWords {
    tools: "Item", "Eintrag";
    mark_unread: "Mark unread", "Als ungelesen";
    mark_read: "Mark read", "Als gelesen";
    tag: "Tag", "Schlagwort";
    full_text: "Full text", "Ganzer Text";
    original: "Original", "Original";
    less: "Less like this", "Weniger davon";
    share: "Share", "Teilen";
    copy_link: "Copy the link", "Link kopieren";
    save_to: "Save to {name}", "In {name} ablegen";
    email: "Send by e-mail", "Als E-Mail senden";
    type_button: "Text size and font", "Schriftgröße und Schrift";
    previous: "Previous (k)", "Voriger (k)";
    next: "Next (j)", "Nächster (j)";
    found_after: "found {span} after it was posted", "{span} nach Erscheinen gefunden";
    found_at_once: "found within a minute", "innerhalb einer Minute gefunden";
    edited: "edited {n} time|edited {n} times", "{n}-mal geändert|{n}-mal geändert";
    to_read: "{n} min to read|{n} min to read", "{n} min zu lesen|{n} min zu lesen";
    tagged: "tagged", "Schlagwörter";
    publishers_tags: "Filed under {tags}", "Abgelegt unter {tags}";
    no_text: "The feed sends no text for this item. Its full text may be on the original page.",
        "Der Feed sendet zu diesem Eintrag keinen Text. Der ganze Text steht vielleicht auf der Originalseite.";
    full_failed: "The full text could not be had: {why}", "Der ganze Text war nicht zu bekommen: {why}";
    full_working: "Fetching the page…", "Die Seite wird geholt…";
    listen: "Listen: {name}", "Hören: {name}";
    watch: "Watch: {name}", "Ansehen: {name}";
    download: "Download {name}", "{name} herunterladen";
    speed: "Speed", "Tempo";
    hidden: "Hidden. It is kept under Hidden.", "Ausgeblendet. Es bleibt unter Ausgeblendet.";
    hidden_rule: "Hidden by the rule {rule}.", "Ausgeblendet durch die Regel {rule}.";
    tag_label: "Tags, separated by commas", "Schlagwörter, mit Komma getrennt";
    starred_toast: "Starred.", "Markiert.";
    unstarred_toast: "No longer starred.", "Nicht mehr markiert.";
    read_toast: "Marked read.", "Als gelesen markiert.";
    unread_toast: "Marked unread.", "Als ungelesen markiert.";
    tagged_toast: "Tagged {tag}.", "Schlagwort {tag} gesetzt.";
    untagged_toast: "Tag {tag} removed.", "Schlagwort {tag} entfernt.";
    new_window: "opens in a new tab", "öffnet in neuem Tab";
    picture_of: "Picture", "Bild";
});
