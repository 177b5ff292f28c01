//! Bytes in, document and complaints out: charsets, formats, identity, dates, OPML
