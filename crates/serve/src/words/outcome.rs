//! Sentences of other crates, in the person's language.
//!
//! Fetching, parsing and working word their own failures, in English, and what they said is stored with the poll. Here
//! each of them stands beside its translation; `{}` is a place whose text is carried over, itself translated where it
//! is a phrase of ours. What is not listed is shown as it was said. Tests hold every sentence of those crates to a row.

use super::Words;
use domain::preferences::Language;

impl Words {
    /// A sentence of another crate in this language.
    pub(crate) fn told(&self, sentence: &str) -> String {
        match self.language {
            Language::English => sentence.to_owned(),
            Language::German => in_german(sentence).unwrap_or_else(|| sentence.to_owned()),
        }
    }
}

/// None for what none of our crates says.
pub fn in_german(sentence: &str) -> Option<String> {
    GERMAN.iter().find_map(|(english, german)| {
        let Some((before, after)) = english.split_once("{}") else {
            return (*english == sentence).then(|| (*german).to_owned());
        };
        let inner = sentence.strip_prefix(before)?.strip_suffix(after)?;
        let inner = PHRASES.iter().find(|(english, _)| *english == inner).map_or(inner, |(_, german)| german);
        Some(german.replacen("{}", inner, 1))
    })
}

/// Parts of sentences.
const PHRASES: &[(&str, &str)] = &[
    ("its certificate has expired", "sein Zertifikat ist abgelaufen"),
    ("its certificate is not valid yet", "sein Zertifikat gilt noch nicht"),
    ("its certificate is for another name", "sein Zertifikat ist für einen anderen Namen"),
    (
        "its certificate is signed by nobody we know",
        "sein Zertifikat hat niemand unterschrieben, den wir kennen",
    ),
    ("its certificate is not valid", "sein Zertifikat ist ungültig"),
    ("the handshake was broken off", "die Begrüßung wurde abgebrochen"),
    ("it is empty", "es ist leer"),
    ("it has no version and no title", "es hat weder Version noch Titel"),
    ("it has no items", "es hat keine Einträge"),
    ("it is not an object", "es ist kein Objekt"),
];

const GERMAN: &[(&str, &str)] = &[
    // fetch: what is not asked for
    (
        "Only http and https addresses can be fetched. Check the beginning of the address.",
        "Nur http- und https-Adressen können geholt werden. Prüfe den Anfang der Adresse.",
    ),
    (
        "The address has no host name. Check the address.",
        "Die Adresse nennt keinen Server. Prüfe die Adresse.",
    ),
    ("The address is too long. Check the address.", "Die Adresse ist zu lang. Prüfe die Adresse."),
    (
        "This port is not used for feeds. If it is meant, ask the administrator to add host:port to the allow-list.",
        "Dieser Port wird für Feeds nicht benutzt. Ist er gemeint, bitte die Verwaltung, Server:Port in die Erlaubnisliste aufzunehmen.",
    ),
    (
        "This address is in a network Wellread does not enter. If the server is yours, ask the administrator to add host:port to the allow-list.",
        "Diese Adresse liegt in einem Netz, das Wellread nicht betritt. Ist es dein Server, bitte die Verwaltung, Server:Port in die Erlaubnisliste aufzunehmen.",
    ),
    (
        "The secure address redirects to an insecure one, and this feed has a password. Ask the publisher for a secure address.",
        "Die sichere Adresse leitet auf eine unsichere um, und dieser Feed hat ein Passwort. Bitte den Herausgeber um eine sichere Adresse.",
    ),
    (
        "The user agent set for this feed has characters that cannot be sent. Change it in the feed's settings.",
        "Die für diesen Feed gesetzte Kennung (User-Agent) hat Zeichen, die nicht gesendet werden können. Ändere sie in den Einstellungen des Feeds.",
    ),
    (
        "A header or the login set for this feed cannot be sent. Change it in the feed's settings.",
        "Ein Header oder die Anmeldung dieses Feeds kann nicht gesendet werden. Ändere das in den Einstellungen des Feeds.",
    ),
    (
        "The site's robots.txt asks programs not to fetch this page. Open it in a browser instead.",
        "Die robots.txt der Seite bittet Programme, diese Seite nicht zu holen. Öffne sie im Browser.",
    ),
    (
        "The site's robots.txt cannot be read just now, so the page is not fetched. Try again later.",
        "Die robots.txt der Seite ist gerade nicht zu lesen, darum wird die Seite nicht geholt. Versuch es später noch einmal.",
    ),
    (
        "The publisher asked not to be fetched by this server. Open the site in a browser instead.",
        "Der Herausgeber möchte von diesem Server nicht abgerufen werden. Öffne die Seite im Browser.",
    ),
    // fetch: what went wrong
    (
        "The host name was not found. Check the address; Wellread tries again later.",
        "Der Name des Servers wurde nicht gefunden. Prüfe die Adresse; Wellread versucht es später wieder.",
    ),
    (
        "The server could not be reached. Wellread tries again later.",
        "Der Server war nicht zu erreichen. Wellread versucht es später wieder.",
    ),
    (
        "The server could not be reached in time. Wellread tries again later.",
        "Der Server war nicht rechtzeitig zu erreichen. Wellread versucht es später wieder.",
    ),
    (
        "The server took the request and did not answer in time. Wellread tries again later.",
        "Der Server nahm die Anfrage an und antwortete nicht rechtzeitig. Wellread versucht es später wieder.",
    ),
    (
        "The server did not finish its answer in time. Wellread tries again later.",
        "Der Server wurde mit seiner Antwort nicht rechtzeitig fertig. Wellread versucht es später wieder.",
    ),
    (
        "The server sent its answer too slowly. Wellread tries again later.",
        "Der Server sandte seine Antwort zu langsam. Wellread versucht es später wieder.",
    ),
    (
        "The secure connection failed ({}). The publisher has to repair the certificate; Wellread tries again later.",
        "Die sichere Verbindung kam nicht zustande ({}). Der Herausgeber muss das Zertifikat in Ordnung bringen; Wellread versucht es später wieder.",
    ),
    (
        "The server broke off or answered in a way that is not HTTP. Wellread tries again later.",
        "Der Server brach ab oder antwortete nicht in HTTP. Wellread versucht es später wieder.",
    ),
    (
        "The answer has too many or too long headers. The publisher has to repair this.",
        "Die Antwort hat zu viele oder zu lange Header. Das muss der Herausgeber in Ordnung bringen.",
    ),
    (
        "The answer is larger than {} bytes. The publisher should offer a shorter feed.",
        "Die Antwort ist größer als {} Bytes. Der Herausgeber sollte einen kürzeren Feed anbieten.",
    ),
    (
        "The answer unpacks to far more than it should. The publisher has to repair this.",
        "Die Antwort wird beim Auspacken viel größer, als sie dürfte. Das muss der Herausgeber in Ordnung bringen.",
    ),
    (
        "The answer is packed in a way Wellread does not read. The publisher has to repair this.",
        "Die Antwort ist auf eine Art gepackt, die Wellread nicht liest. Das muss der Herausgeber in Ordnung bringen.",
    ),
    (
        "The packed answer is damaged. Wellread tries again later.",
        "Die gepackte Antwort ist beschädigt. Wellread versucht es später wieder.",
    ),
    (
        "The address redirects too often. Check the address in a browser.",
        "Die Adresse leitet zu oft um. Prüfe sie in einem Browser.",
    ),
    (
        "The address redirects to nowhere. Check the address in a browser.",
        "Die Adresse leitet ins Leere um. Prüfe sie in einem Browser.",
    ),
    (
        "The server says \"not modified\" although nothing was known of it. Wellread tries again later.",
        "Der Server sagt „unverändert“, obwohl noch nichts von ihm bekannt war. Wellread versucht es später wieder.",
    ),
    (
        "The server answered with status {}. Wellread tries again later.",
        "Der Server antwortete mit dem Status {}. Wellread versucht es später wieder.",
    ),
    (
        "The publisher says this feed is gone for good (410).",
        "Der Herausgeber sagt, dass es diesen Feed nicht mehr gibt (410).",
    ),
    (
        "The server is busy or asks for fewer requests; Wellread waits before asking again.",
        "Der Server ist beschäftigt oder bittet um weniger Anfragen; Wellread wartet, bevor es wieder fragt.",
    ),
    (
        "The server does not let us in (401, 403 or 451). Check whether the feed needs a password.",
        "Der Server lässt uns nicht hinein (401, 403 oder 451). Prüfe, ob der Feed ein Passwort braucht.",
    ),
    (
        "There is nothing at this address (404). Check the address, or look for the feed on its web site.",
        "Unter dieser Adresse ist nichts (404). Prüfe die Adresse, oder such den Feed auf seiner Website.",
    ),
    (
        "Other requests to this site come first. Try again in a few minutes.",
        "Andere Anfragen an diese Seite kommen zuerst. Versuch es in ein paar Minuten noch einmal.",
    ),
    ("The administrator has halted all fetching.", "Die Verwaltung hat alles Abrufen angehalten."),
    // parse
    ("The document is empty.", "Das Dokument ist leer."),
    (
        "This is a web page, not a feed. Its feed may be linked from it.",
        "Das ist eine Webseite, kein Feed. Vielleicht verweist sie auf ihren Feed.",
    ),
    (
        "This is a page that asks to sign in or to prove to be human, not a feed.",
        "Das ist eine Seite, auf der man sich anmelden oder als Mensch ausweisen soll, kein Feed.",
    ),
    ("This is JSON, but not a JSON Feed: {}.", "Das ist JSON, aber kein JSON Feed: {}."),
    (
        "This is a list of subscriptions (OPML), not a feed. It can be imported.",
        "Das ist eine Liste von Abonnements (OPML), kein Feed. Sie lässt sich importieren.",
    ),
    ("This is plain text, not a feed.", "Das ist reiner Text, kein Feed."),
    (
        "This is XML, but its root element <{}> is not that of a feed.",
        "Das ist XML, aber sein Wurzelelement <{}> ist nicht das eines Feeds.",
    ),
    ("This is not text at all, so it is no feed.", "Das ist gar kein Text, also auch kein Feed."),
    // store
    ("The folder this rule is for was removed.", "Den Ordner, für den diese Regel galt, gibt es nicht mehr."),
    // work
    (
        "Nothing on the internet answers at the moment, so this is our own connection; we try again on our own.",
        "Im Moment antwortet nichts im Internet, es liegt also an unserer eigenen Verbindung; wir versuchen es von selbst wieder.",
    ),
    (
        "The address of this feed is not a valid one; edit it or unsubscribe.",
        "Die Adresse dieses Feeds ist nicht gültig; ändere sie oder bestell den Feed ab.",
    ),
    (
        "The publisher's bot protection asks for a human. Ask the publisher to let feed readers through.",
        "Der Schutz des Herausgebers vor Programmen verlangt einen Menschen. Bitte den Herausgeber, Feedreader durchzulassen.",
    ),
    (
        "The password of this feed was sealed with another secret.key; enter it again, or put the old key file back.",
        "Das Passwort dieses Feeds wurde mit einer anderen secret.key versiegelt; gib es neu ein, oder leg die alte Schlüsseldatei zurück.",
    ),
    (
        "Wellread failed on this document; that is a defect of ours. The other feeds are not affected.",
        "Wellread ist an diesem Dokument gescheitert; das ist ein Fehler von uns. Die anderen Feeds sind nicht betroffen.",
    ),
    (
        "This document took longer than {} s to read, so we gave it up for now.",
        "Dieses Dokument zu lesen dauerte länger als {} s, darum haben wir es vorerst aufgegeben.",
    ),
    (
        "This rule took too much work on an item, so it was switched off; make its expression simpler.",
        "Diese Regel machte bei einem Eintrag zu viel Arbeit und wurde abgeschaltet; vereinfache ihren Ausdruck.",
    ),
    (
        "No article was found on the page; open the original.",
        "Auf der Seite wurde kein Artikel gefunden; öffne das Original.",
    ),
    (
        "The page is no longer there (404); the item itself is kept.",
        "Die Seite gibt es nicht mehr (404); der Eintrag selbst bleibt.",
    ),
    (
        "The site does not let us read this page; open the original.",
        "Die Website lässt uns diese Seite nicht lesen; öffne das Original.",
    ),
    (
        "The page is larger than {} MB, so it is not fetched; open the original.",
        "Die Seite ist größer als {} MB und wird darum nicht geholt; öffne das Original.",
    ),
    (
        "{} is not an address; it should look like https://example.org/feed.",
        "{} ist keine Adresse; sie sollte aussehen wie https://example.org/feed.",
    ),
    (
        "{} cannot be followed: only http and https addresses can.",
        "{} lässt sich nicht abonnieren: das geht nur mit http- und https-Adressen.",
    ),
    ("The server sent nothing to read.", "Der Server sandte nichts zum Lesen."),
    (
        "The page names {} as its feed, but that is a page again.",
        "Die Seite nennt {} als ihren Feed, aber das ist wieder eine Seite.",
    ),
    ("There are {} feeds; choose one.", "Es gibt {} Feeds; wähle einen."),
    (
        "More than {} feeds cannot be followed; unsubscribe from some first.",
        "Mehr als {} Feeds lassen sich nicht abonnieren; bestell erst einige ab.",
    ),
    (
        "This document takes too long to read, so it cannot be followed.",
        "Dieses Dokument zu lesen dauert zu lange, darum lässt es sich nicht abonnieren.",
    ),
    (
        "The database did not answer; try again in a moment.",
        "Die Datenbank hat nicht geantwortet; versuch es gleich noch einmal.",
    ),
    ("There is no such item.", "Diesen Eintrag gibt es nicht."),
    ("This item names no page to fetch.", "Dieser Eintrag nennt keine Seite, die sich holen ließe."),
];

#[cfg(test)]
mod tests {
    use super::*;
    use fetch::{Failure, Held, Outcome, Refusal};
    use parse::NotAFeed;

    /// Every variant, held to it by the compiler: a new one must be added here.
    fn failures() -> Vec<Failure> {
        use Failure::*;
        let all = vec![
            Dns,
            Connect,
            ConnectTimeout,
            NoAnswer,
            Timeout,
            TooSlow,
            Tls("its certificate has expired".into()),
            Protocol,
            HeadersTooLarge,
            TooLarge { bytes_max: 7 },
            Ratio,
            Encoding,
            Decode,
            RedirectLimit,
            BadRedirect,
            NotModifiedUnasked,
            Status(500),
        ];
        for one in &all {
            match one {
                Dns
                | Connect
                | ConnectTimeout
                | NoAnswer
                | Timeout
                | TooSlow
                | Tls(_)
                | Protocol
                | HeadersTooLarge
                | TooLarge { .. }
                | Ratio
                | Encoding
                | Decode
                | RedirectLimit
                | BadRedirect
                | NotModifiedUnasked
                | Status(_) => {}
            }
        }
        all
    }

    fn refusals() -> Vec<Refusal> {
        use Refusal::*;
        let all = vec![
            Scheme,
            Host,
            TooLong,
            Port,
            Address,
            Downgrade,
            UserAgent,
            Header,
            Robots,
            RobotsUnreachable,
            OptedOut,
        ];
        for one in &all {
            match one {
                Scheme | Host | TooLong | Port | Address | Downgrade | UserAgent | Header | Robots
                | RobotsUnreachable | OptedOut => {}
            }
        }
        all
    }

    fn no_feeds() -> Vec<NotAFeed> {
        use NotAFeed::*;
        let all = vec![
            Empty,
            Html,
            Login,
            Json("it has no items".into()),
            Opml,
            Text,
            UnknownXml { root: "x".into() },
            Binary,
        ];
        for one in &all {
            match one {
                Empty | Html | Login | Json(_) | Opml | Text | UnknownXml { .. } | Binary => {}
            }
        }
        all
    }

    #[test]
    fn every_sentence_of_fetching_and_parsing_has_a_translation() {
        let outcomes =
            [Outcome::Gone, Outcome::Busy, Outcome::Denied, Outcome::NotFound, Outcome::Held(Held::Halted)];
        let sentences = failures()
            .into_iter()
            .map(|one| one.to_string())
            .chain(refusals().into_iter().map(|one| one.to_string()))
            .chain(no_feeds().into_iter().map(|one| one.to_string()))
            .chain(outcomes.into_iter().filter_map(|one| one.sentence()))
            .chain([Held::Until(domain::Timestamp::from_seconds(1)).to_string()]);
        for sentence in sentences {
            assert!(in_german(&sentence).is_some_and(|german| german != sentence), "{sentence}");
        }
    }

    #[test]
    fn places_are_carried_over_and_phrases_of_ours_translated() {
        let german = Words::of(Language::German);
        assert_eq!(
            german.told("This is JSON, but not a JSON Feed: it has no items."),
            "Das ist JSON, aber kein JSON Feed: es hat keine Einträge."
        );
        assert!(
            german.told("The server answered with status 503. Wellread tries again later.").contains("503")
        );
        assert_eq!(german.told("Something else."), "Something else.");
        assert_eq!(Words::of(Language::English).told("The document is empty."), "The document is empty.");
    }

    #[test]
    fn translations_have_the_places_of_their_sentence() {
        for (english, german) in GERMAN {
            assert_eq!(english.matches("{}").count(), german.matches("{}").count(), "{english}");
            assert!(english.matches("{}").count() <= 1, "{english}");
        }
    }
}
