//! Languages by their tags. A language is called what its speakers call it.

const NAMES: [(&str, &str); 34] = [
    ("ar", "العربية"),
    ("bg", "Български"),
    ("ca", "Català"),
    ("cs", "Čeština"),
    ("da", "Dansk"),
    ("de", "Deutsch"),
    ("el", "Ελληνικά"),
    ("en", "English"),
    ("es", "Español"),
    ("et", "Eesti"),
    ("fa", "فارسی"),
    ("fi", "Suomi"),
    ("fr", "Français"),
    ("he", "עברית"),
    ("hi", "हिन्दी"),
    ("hr", "Hrvatski"),
    ("hu", "Magyar"),
    ("it", "Italiano"),
    ("ja", "日本語"),
    ("ko", "한국어"),
    ("lt", "Lietuvių"),
    ("lv", "Latviešu"),
    ("nl", "Nederlands"),
    ("no", "Norsk"),
    ("pl", "Polski"),
    ("pt", "Português"),
    ("ro", "Română"),
    ("ru", "Русский"),
    ("sk", "Slovenčina"),
    ("sl", "Slovenščina"),
    ("sv", "Svenska"),
    ("tr", "Türkçe"),
    ("uk", "Українська"),
    ("zh", "中文"),
];

/// The first part of a tag, in lower case.
pub(crate) fn primary(tag: &str) -> String {
    tag.trim().split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase()
}

pub(crate) fn is_tag(text: &str) -> bool {
    (2..=8).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_lowercase())
}

pub(crate) fn name(tag: &str) -> String {
    let known = NAMES.iter().find(|(one, _)| *one == tag);
    known.map_or_else(|| tag.to_uppercase(), |(_, name)| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_has_a_name_and_what_is_no_tag_is_refused() {
        assert_eq!((name("de").as_str(), name("tlh").as_str()), ("Deutsch", "TLH"));
        assert_eq!(primary("PT_br"), "pt");
        assert!(is_tag("de") && !is_tag("de\" OR x") && !is_tag("e") && !is_tag("DE"));
    }
}
