use super::parse;
use proptest::prelude::*;

/// `expected` is RFC 3339 in UTC, or empty for a date that must be refused.
fn check(text: &str, expected: &str) {
    let read = parse(text).map(|time| time.to_string()).unwrap_or_default();
    assert_eq!(read, expected, "{text:?}");
}

#[test]
fn rfc_822_as_it_should_be() {
    check("Sat, 07 Sep 2002 00:00:01 GMT", "2002-09-07T00:00:01Z");
    check("07 Sep 2002 00:00 +0100", "2002-09-06T23:00:00Z");
    check("Thu, 01 Jan 2004 19:48:21 EST", "2004-01-02T00:48:21Z");
    check("Thu, 01 Jan 2004 19:48:21 PDT", "2004-01-02T02:48:21Z");
}

#[test]
fn rfc_822_as_it_is_written() {
    check("Thu Jan 1 2004 19:48:21 GMT", "2004-01-01T19:48:21Z");
    check("Thu 01 Jan 2004 19:48:21 GMT", "2004-01-01T19:48:21Z");
    check("Thursday, 01 January 2004 19:48:21 GMT", "2004-01-01T19:48:21Z");
    check("Thu, Jan 01 2004 19:48:21 GMT", "2004-01-01T19:48:21Z");
    check("January 1, 2004 7:48 PM", "2004-01-01T19:48:00Z");
    check("Thu, 1 Jan 04 19:48:21 GMT", "2004-01-01T19:48:21Z");
    check("Thu, 01 Jan 98 19:48:21 GMT", "1998-01-01T19:48:21Z");
    check("Thu, 01 Jan 2004 19:48:21 -05:00", "2004-01-02T00:48:21Z");
    check("Thu, 01 Jan 2004 19:48:21 GMT-05:00", "2004-01-02T00:48:21Z");
    check("Thu, 01 Jan 2004 19:48:21 Etc/GMT", "2004-01-01T19:48:21Z");
    check("Thu, 01 Jan 2004 19:48:21 0000", "2004-01-01T19:48:21Z");
    check("Thu, 01 Jan 2004 19:48:21 +0000 (UTC)", "2004-01-01T19:48:21Z");
    check("Thu,01 Jan 2004 19:48:21+0100", "2004-01-01T18:48:21Z");
    check("Thu, 01 Jan 2004", "2004-01-01T00:00:00Z");
    check("01-Jan-2004 19:48", "2004-01-01T19:48:00Z");
    check("Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z");
    check("Thu, 01 Jan 2004 24:00:00 GMT", "2004-01-02T00:00:00Z");
    check("Thu, 31 Dec 2016 23:59:60 GMT", "2017-01-01T00:00:00Z");
    check("1st May 2015", "2015-05-01T00:00:00Z");
    check("Fri, 2006/09/15 08:19:53 EDT", "2006-09-15T12:19:53Z");
    check("Thu, 01 Jan 2004 19:48:21 XYZ", "2004-01-01T19:48:21Z");
}

#[test]
fn rfc_3339_and_its_cuts() {
    check("2003-12-31T10:14:55Z", "2003-12-31T10:14:55Z");
    check("2003-12-31T10:14:55.25-08:00", "2003-12-31T18:14:55Z");
    check("2003-12-31t10:14:55z", "2003-12-31T10:14:55Z");
    check("2003-12-31T10:14:55+0100", "2003-12-31T09:14:55Z");
    check("2003-12-31T10:14Z", "2003-12-31T10:14:00Z");
    check("2003-12-31T10:14:55", "2003-12-31T10:14:55Z");
    check("2003-12-31 10:14:55", "2003-12-31T10:14:55Z");
    check("2006-01-11 16:43:22 -0800", "2006-01-12T00:43:22Z");
    check("2025-01-01 10:00", "2025-01-01T10:00:00Z");
    check("2003-12-31", "2003-12-31T00:00:00Z");
    check("2003-12", "2003-12-01T00:00:00Z");
    check("2003", "2003-01-01T00:00:00Z");
    check("20031231", "2003-12-31T00:00:00Z");
    check("031231", "2003-12-31T00:00:00Z");
    check("2003-335", "2003-12-01T00:00:00Z");
    check("2003335", "2003-12-01T00:00:00Z");
    check("2003/12/31 10:14", "2003-12-31T10:14:00Z");
    check("2003-12-31T10:14:55 EST", "2003-12-31T15:14:55Z");
    check("2003-12-31T24:00:00Z", "2004-01-01T00:00:00Z");
    check("20031231T101455Z", "2003-12-31T10:14:55Z");
    check("2003-12-31T10:14:55 +01:00", "2003-12-31T09:14:55Z");
}

#[test]
fn asctime_and_unix_seconds() {
    check("Sun Jan  4 16:29:06 2004", "2004-01-04T16:29:06Z");
    check("Sun Jan  4 16:29:06 PST 2004", "2004-01-05T00:29:06Z");
    check("1073233746", "2004-01-04T16:29:06Z");
    check("1073233746000", "2004-01-04T16:29:06Z");
}

#[test]
fn names_in_other_languages() {
    check("Seg, 24 Set 2012 10:00:00 -0300", "2012-09-24T13:00:00Z");
    check("lun., 24 sept. 2012 10:00:00 +0200", "2012-09-24T08:00:00Z");
    check("mar., 25 sept. 2012 10:00:00 +0200", "2012-09-25T08:00:00Z");
    check("24 de setembro de 2012", "2012-09-24T00:00:00Z");
    check("Mo, 05 Mär 2012 10:00:00 +0100", "2012-03-05T09:00:00Z");
    check("Di, 01 Mai 2012 10:00:00 +0200", "2012-05-01T08:00:00Z");
    check("sáb, 15 dic 2012 10:00:00 +0100", "2012-12-15T09:00:00Z");
    check("ven, 01 giu 2012 10:00:00 +0200", "2012-06-01T08:00:00Z");
    check("wo, 02 mei 2012 10:00:00 +0200", "2012-05-02T08:00:00Z");
    check("śr., 10 paź 2012 10:00:00 +0200", "2012-10-10T08:00:00Z");
    check("Пн, 01 окт 2012 10:00:00 +0400", "2012-10-01T06:00:00Z");
    check("3 августа 2015 г. 10:00", "2015-08-03T10:00:00Z");
    check("Κυρ, 11 Ιούλ 2004 12:00:00 EST", "2004-07-11T17:00:00Z");
    check("2004년 05월 28일  01:31:15", "2004-05-27T16:31:15Z");
    check("2004-05-25 오후 11:23:17", "2004-05-25T14:23:17Z");
    check("2004年05月28日 01:31", "2004-05-28T01:31:00Z");
}

#[test]
fn d6_what_is_no_date_is_refused() {
    for text in [
        "",
        "yesterday",
        "30 Feb 2012",
        "2012-02-30",
        "31 Jun 2004 00:00:00 GMT",
        "03/04/2025",
        "Mon",
        "12:30",
        "-",
        "99",
    ] {
        check(text, "");
    }
    check("Thu, 01 Jan 2004 25:00:00 GMT", "");
    check("2003-13-31T10:14:55Z", "");
    check("2003-12-31T10:61:55Z", "");
    check("25/06/2004", "2004-06-25T00:00:00Z");
    check("06/25/2004 10:00", "2004-06-25T10:00:00Z");
}

#[test]
fn d6_the_epoch_and_far_years_are_read_as_written() {
    check("Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00Z");
    check("2999-01-01T00:00:00Z", "2999-01-01T00:00:00Z");
}

proptest! {
    #[test]
    fn any_text_gives_a_date_or_none(text in "\\PC{0,40}") {
        let _ = parse(&text);
    }

    #[test]
    fn date_like_text_never_panics(text in "[0-9TZ:+./ ,a-zA-Z-]{0,40}") {
        let _ = parse(&text);
    }

    #[test]
    fn every_second_survives_both_formats(seconds in 0i64..4_000_000_000) {
        let time = jiff::Timestamp::from_second(seconds).expect("in range");
        prop_assert_eq!(parse(&time.to_string()).map(domain::Timestamp::seconds), Some(seconds));
        let rfc_822 = jiff::fmt::rfc2822::DateTimePrinter::new().timestamp_to_string(&time).expect("prints");
        prop_assert_eq!(parse(&rfc_822).map(domain::Timestamp::seconds), Some(seconds));
    }
}
