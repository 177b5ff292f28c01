use super::*;

fn terms(analyzers: &TokenizerManager, name: &str, text: &str) -> Vec<(String, usize)> {
    let mut analyzer = analyzers.get(name).expect("registered");
    let mut found = Vec::new();
    analyzer.token_stream(text).process(&mut |token| found.push((token.text.clone(), token.position)));
    found
}

fn check(name: &str, title: &str, text: &str, expected: &[(&str, usize)]) {
    let framed = frame(Some("en"), title, text).framed;
    let found = terms(&analyzers(), name, &framed);
    let expected: Vec<_> = expected.iter().map(|(term, position)| ((*term).to_owned(), *position)).collect();
    assert_eq!(found, expected);
}

#[test]
fn the_title_stands_three_times_before_the_text_and_no_phrase_reaches_across() {
    check(
        "stems",
        "new barriers",
        "cats",
        &[
            ("new", 0),
            ("barrier", 1),
            ("new", 10),
            ("barrier", 11),
            ("new", 20),
            ("barrier", 21),
            ("cat", 30),
        ],
    );
    check("stems", "", "cats", &[("cat", 24)]);
    check("stems", "cats", "", &[("cat", 0), ("cat", 9), ("cat", 18)]);
    check("stems", "", "", &[]);
}

#[test]
fn a_title_has_stems_and_forms_at_the_same_place() {
    check("both", "new barriers", "cats", &[("new", 0), ("barrier", 1), ("barriers", 1)]);
}

#[test]
fn forms_are_those_that_are_not_their_own_stem_and_a_few_of_the_others() {
    check(
        "forms",
        "new barriers",
        "barriers new new",
        &[("new", 0), ("barriers", 1), ("barriers", 0), ("new", 1)],
    );
}

#[test]
fn what_was_read_last_is_not_taken_for_another_text() {
    let analyzers = analyzers();
    let (one, two) = (frame(Some("en"), "cats", "").framed, frame(Some("xx"), "cats", "").framed);
    assert_eq!(terms(&analyzers, "both", &one)[0].0, "cat");
    assert_eq!(terms(&analyzers, "names", "cats")[0].0, "cats");
    assert_eq!(terms(&analyzers, "both", &one)[0].0, "cat");
    assert_eq!(terms(&analyzers, "both", &two)[0].0, "cats");
    assert_eq!(terms(&analyzers, "names", &one)[0].0, "en");
    assert_eq!(terms(&analyzers, "both", &one).len(), 2);
}

#[test]
fn a_new_segment_is_told_words_again() {
    let analyzers = analyzers();
    let framed = frame(Some("en"), "new new new", "").framed;
    for _ in 0..2 {
        assert_eq!(terms(&analyzers, "forms", &framed).len(), usize::from(FORMS_REPEATED));
    }
}

#[test]
fn a_frame_knows_its_parts() {
    let frame = frame(Some("de-AT"), "a\u{1F}title", "text");
    assert_eq!(&frame.framed[frame.language.clone()], "de");
    assert_eq!(&frame.framed[frame.title.clone()], "a title");
    assert_eq!(&frame.framed[frame.text.clone()], "text");
}
