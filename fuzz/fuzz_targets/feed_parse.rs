//! Any bytes give a document or a refusal, within bounds; the same bytes give the same document.
#![no_main]

use domain::Limits;
use libfuzzer_sys::fuzz_target;
use parse::Input;

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits::default();
    let base = url::Url::parse("https://feed.test/dir/feed.xml").expect("valid");
    let input = Input { bytes, content_type: None, base: Some(&base), complete: true };
    let Ok(parsed) = parse::parse(&input, &limits) else { return };
    assert!(parsed.document.items.len() <= limits.items_max);
    assert!(parsed.complaints.len() <= limits.complaints_max);
    for item in &parsed.document.items {
        assert!(item.title.as_ref().is_none_or(|title| title.chars().count() <= limits.title_chars_max));
        assert!(item.tags.len() <= limits.tags_max && item.enclosures.len() <= limits.enclosures_max);
        assert!(item.link.as_ref().is_none_or(|link| link.starts_with("http")));
        for text in [&item.title, &item.author, &item.summary, &item.content].into_iter().flatten() {
            assert!(!text.contains('\0'));
        }
    }
    let again = parse::parse(&input, &limits).expect("parsed once");
    assert!(again == parsed, "parsing is not repeatable");
});
