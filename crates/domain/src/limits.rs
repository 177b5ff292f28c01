//! Every bound on outside input, in one place. Passing one is a counted outcome with a sentence, never a crash.

use std::time::Duration;

#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    // Fetching
    pub connect_timeout: Duration,
    pub first_byte_timeout: Duration,
    pub fetch_timeout: Duration,
    /// Slowest accepted rate, averaged over `slow_window`.
    pub slow_bytes_per_second_min: u64,
    pub slow_window: Duration,
    pub body_wire_bytes_max: u64,
    pub body_bytes_max: u64,
    /// Decompressed to compressed bytes, once more than `body_ratio_from_bytes` came out.
    pub body_ratio_max: u64,
    pub body_ratio_from_bytes: u64,
    pub header_bytes_max: usize,
    pub header_fields_max: usize,
    pub redirects_max: u32,
    /// Longer stored response headers (ETag, Last-Modified) are ignored.
    pub validator_bytes_max: usize,
    pub fetches_max: usize,

    // Parsing
    pub items_max: usize,
    pub item_html_bytes_max: usize,
    pub title_chars_max: usize,
    pub author_chars_max: usize,
    pub tag_chars_max: usize,
    pub url_bytes_max: usize,
    pub tags_max: usize,
    pub enclosures_max: usize,
    pub xml_depth_max: usize,
    pub html_depth_max: usize,
    pub attributes_max: usize,
    pub entity_bytes_max: usize,
    pub complaints_max: usize,
    pub parse_cpu_max: Duration,

    // Imports
    pub opml_bytes_max: usize,
    pub opml_depth_max: usize,
    pub opml_outlines_max: usize,
    pub subscriptions_max: usize,

    // Rules (O2)
    pub rules_max: usize,
    pub conditions_max: usize,
    pub pattern_chars_max: usize,
    pub pattern_words_max: usize,
    pub regex_compiled_bytes_max: usize,

    // Side fetches
    pub page_bytes_max: u64,
    pub icon_bytes_max: u64,
    pub media_bytes_max: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            connect_timeout: Duration::from_secs(10),
            first_byte_timeout: Duration::from_secs(15),
            fetch_timeout: Duration::from_secs(30),
            slow_bytes_per_second_min: 1024,
            slow_window: Duration::from_secs(10),
            body_wire_bytes_max: 5 << 20,
            body_bytes_max: 15 << 20,
            body_ratio_max: 200,
            body_ratio_from_bytes: 1 << 20,
            header_bytes_max: 64 << 10,
            header_fields_max: 100,
            redirects_max: 5,
            validator_bytes_max: 1024,
            fetches_max: 64,
            items_max: 1_000,
            item_html_bytes_max: 1 << 20,
            title_chars_max: 1_000,
            author_chars_max: 200,
            tag_chars_max: 100,
            url_bytes_max: 2_048,
            tags_max: 50,
            enclosures_max: 20,
            xml_depth_max: 256,
            html_depth_max: 200,
            attributes_max: 256,
            entity_bytes_max: 64 << 10,
            complaints_max: 50,
            parse_cpu_max: Duration::from_secs(2),
            opml_bytes_max: 5 << 20,
            opml_depth_max: 16,
            opml_outlines_max: 5_000,
            subscriptions_max: 5_000,
            rules_max: 200,
            conditions_max: 5,
            pattern_chars_max: 500,
            pattern_words_max: 50,
            regex_compiled_bytes_max: 1 << 20,
            page_bytes_max: 8 << 20,
            icon_bytes_max: 256 << 10,
            media_bytes_max: 512 << 20,
        }
    }
}
