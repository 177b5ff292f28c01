//! For you: the list, why an item is in it, and what was learnt.

use super::words;

words!(ForYouWords {
    title: "For you", "Für dich";
    more: "More", "Mehr";
    key_go: "go to For you", "zu Für dich";
    why: "Why", "Warum";
    young: "For you starts to differ from Newest after about 20 opens; you have {n}.|For you starts to differ from Newest after about 20 opens; you have {n}.",
        "„Für dich“ unterscheidet sich nach etwa 20 geöffneten Einträgen von „Neueste“; du hast {n}.|„Für dich“ unterscheidet sich nach etwa 20 geöffneten Einträgen von „Neueste“; du hast {n}.";
    empty_title: "Nothing unread", "Nichts ungelesen";
    empty: "You have read everything of the last two weeks. What is older is under Unread.",
        "Du hast alles der letzten zwei Wochen gelesen. Älteres steht unter Ungelesen.";
    mark_shown: "Mark what is shown as read", "Gezeigtes als gelesen";
    // A first day
    pick: "What would you like more of? Choose, or just begin to read.",
        "Wovon möchtest du mehr? Wähl etwas aus, oder lies einfach los.";
    pick_done: "Show me these", "Diese zeigen";
    pick_none: "Not now", "Nicht jetzt";
    // Beside a row
    feed: "you open {feed} often", "du öffnest {feed} oft";
    topic: "you read about {topic}", "du liest über {topic}";
    words: "like items you kept: {words}", "wie Behaltenes: {words}";
    like_kept: "like items you kept", "wie Einträge, die du behalten hast";
    copies: "several of your feeds tell it", "mehrere deiner Feeds erzählen es";
    familiar: "like what you read lately", "wie zuletzt Gelesenes";
    old: "you read older items too", "du liest auch Älteres";
    busy: "you open busy feeds", "du öffnest Feeds, die viel bringen";
    newest: "one of the newest", "eines der neuesten";
    variety: "for variety", "zur Abwechslung";
    interest: "so that {topic} is here too", "damit {topic} auch vorkommt";
    new_topic: "new topic: {topic}", "neues Thema: {topic}";
    new_feed: "a try: little seen of this feed", "ein Versuch: von diesem Feed ist wenig bekannt";
    a_try: "a try: outside what you usually open", "ein Versuch: anders als was du sonst öffnest";
    recent: "recent", "neu";
    // Above an item
    long_feed_of: "you opened {opened} of the last {met} from {feed}",
        "du hast {opened} der letzten {met} von {feed} geöffnet";
    long_feed: "you often open {feed}", "du öffnest {feed} oft";
    long_feed_not: "you seldom open {feed}", "du öffnest {feed} selten";
    long_topic: "you often open what is about {topic}", "du öffnest oft, was von {topic} handelt";
    long_topic_not: "you seldom open what is about {topic}", "du öffnest selten, was von {topic} handelt";
    long_words: "items you kept have {words} in common with it", "Einträge, die du behalten hast, haben damit {words} gemeinsam";
    long_words_not: "items you wanted less of have {words} in common with it",
        "Einträge, von denen du weniger wolltest, haben damit {words} gemeinsam";
    long_like_kept: "it is like items you kept", "es gleicht Einträgen, die du behalten hast";
    long_like_sent_away: "it is like items you wanted less of", "es gleicht Einträgen, von denen du weniger wolltest";
    long_copies: "several of your feeds tell it", "mehrere deiner Feeds erzählen es";
    long_copies_not: "several of your feeds tell it, which you mind", "mehrere deiner Feeds erzählen es, was dich stört";
    long_familiar: "it is like what you read lately", "es gleicht dem, was du zuletzt gelesen hast";
    long_familiar_not: "you have read something like it lately", "etwas Ähnliches hast du zuletzt gelesen";
    long_old: "you read older items too", "du liest auch Älteres";
    long_old_not: "you read mostly what is new", "du liest meist Neues";
    long_busy: "you open feeds that post much", "du öffnest Feeds, die viel bringen";
    long_busy_not: "you open little of feeds that post much", "du öffnest wenig von Feeds, die viel bringen";
    long_newest: "one of the newest, while little is known of you", "eines der neuesten, solange wenig von dir bekannt ist";
    long_variety: "shown so that the list has several feeds", "gezeigt, damit die Liste mehrere Feeds hat";
    long_interest: "shown so that {topic} is in the list too", "gezeigt, damit auch {topic} in der Liste ist";
    long_new_topic: "trying something new: little is known of how you like {topic}",
        "ein Versuch mit Neuem: wie du {topic} magst, ist wenig bekannt";
    long_new_feed: "trying something new: little is known of how you like {feed}",
        "ein Versuch mit Neuem: wie du {feed} magst, ist wenig bekannt";
    long_a_try: "trying something outside what you usually open", "ein Versuch mit etwas, das du sonst nicht öffnest";
    long_nothing: "Nothing is known that speaks for or against it; it is recent.",
        "Nichts spricht dafür oder dagegen; es ist neu.";
    not_ranked: "It is not in For you: it is read, hidden or older than two weeks, or other items were nearer to you.",
        "Es steht nicht in „Für dich“: es ist gelesen, ausgeblendet oder älter als zwei Wochen, oder anderes lag dir näher.";
    why_title: "Why this item", "Warum dieser Eintrag";
    to_learned: "What was learnt of you", "Was über dich gelernt wurde";
    to_list: "Back to the list", "Zurück zur Liste";
    // What was learnt
    learned_title: "What was learnt", "Was gelernt wurde";
    learned_lede: "From what you open, keep and pass over, on this server and for you alone. A bar to the right is liked, one to the left is not; change what is wrong.",
        "Aus dem, was du öffnest, behältst und übergehst, auf diesem Server und nur für dich. Ein Balken nach rechts wird gemocht, einer nach links nicht; ändere, was nicht stimmt.";
    learned_empty_title: "Nothing was learnt yet", "Noch wurde nichts gelernt";
    learned_empty: "Open, star or hide a few items; what that says about you appears here.",
        "Öffne, markiere oder verbirg ein paar Einträge; was das über dich sagt, erscheint hier.";
    topics: "Topics", "Themen";
    feeds: "Feeds", "Feeds";
    words_title: "Words", "Wörter";
    rest: "In general", "Allgemein";
    rest_age: "Older items", "Ältere Einträge";
    rest_interest: "Items like those you kept", "Einträge wie die behaltenen";
    rest_novelty: "Items unlike what you read lately", "Einträge anders als zuletzt Gelesenes";
    rest_copies: "Stories in several feeds", "Meldungen in mehreren Feeds";
    rest_rate: "Feeds that post much", "Feeds, die viel bringen";
    rest_bias: "Opening anything at all", "Überhaupt etwas öffnen";
    likes_much: "liked much", "sehr gemocht";
    likes: "liked", "gemocht";
    likes_little: "liked a little", "etwas gemocht";
    dislikes_little: "disliked a little", "etwas weniger gemocht";
    dislikes: "disliked", "nicht gemocht";
    dislikes_much: "disliked much", "gar nicht gemocht";
    unsure: "not sure yet", "noch unsicher";
    more_of: "More", "Mehr";
    less_of: "Less", "Weniger";
    forget: "Forget", "Vergessen";
    more_of_label: "More of {name}", "Mehr von {name}";
    less_of_label: "Less of {name}", "Weniger von {name}";
    forget_label: "Forget what was learnt of {name}", "Vergessen, was über {name} gelernt wurde";
    unnamed: "a topic of {feed}", "ein Thema von {feed}";
    unnamed_alone: "a topic of other feeds", "ein Thema anderer Feeds";
    reset: "Forget everything", "Alles vergessen";
    reset_lede: "For you begins anew, as on the first day. Your stars, tags and hidden items stay.",
        "„Für dich“ beginnt neu, wie am ersten Tag. Markiertes, Schlagwörter und Ausgeblendetes bleiben.";
    said_changed: "Changed. The next list takes it into account.", "Geändert. Die nächste Liste berücksichtigt es.";
    said_reset: "Everything that was learnt is forgotten.", "Alles Gelernte ist vergessen.";
    said_busy: "That could not be changed just now; try again.", "Das ließ sich gerade nicht ändern; versuch es noch einmal.";
    settings_lede: "For you puts first what you are likely to open. It learns on this server alone; Newest and Unread stay as they are.",
        "„Für dich“ stellt voran, was du wahrscheinlich öffnest. Gelernt wird nur auf diesem Server; „Neueste“ und „Ungelesen“ bleiben, wie sie sind.";
    export_hint: "All of it is part of your export.", "All das ist Teil deines Exports.";
    bad_limit: "The limit must be a number from 1 to 200.", "limit muss eine Zahl von 1 bis 200 sein.";
    bad_after: "That list is more than a day old; ask again without after.",
        "Diese Liste ist älter als ein Tag; frag noch einmal ohne after.";
});
