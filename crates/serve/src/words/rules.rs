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
});
