//! What other crates say to people is translated by the interface.

#[test]
fn every_sentence_of_the_working_side_has_a_translation() {
    for sentence in work::sentences() {
        assert!(serve::in_german(&sentence).is_some_and(|german| german != sentence), "{sentence}");
    }
}
