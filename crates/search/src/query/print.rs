//! A tree as a query that reads as the same tree.

use super::{Node, Place, Query, StoreFilter};
use std::fmt;

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.node.print(f)
    }
}

impl Node {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Node::All(nodes) => list(f, nodes, " "),
            Node::Any(nodes) => list(f, nodes, " OR "),
            Node::Not(node) => {
                f.write_str("-")?;
                node.print_inside(f)
            }
            Node::Word(place, word) => write!(f, "{}{word}", place.prefix()),
            Node::Begins(place, word) => write!(f, "{}{word}*", place.prefix()),
            Node::Phrase(place, words) => write!(f, "{}\"{}\"", place.prefix(), words.join(" ")),
            Node::Language(tag) => write!(f, "lang:{tag}"),
            Node::Before(day) => write!(f, "before:{day}"),
            Node::After(day) => write!(f, "after:{day}"),
            Node::Store(StoreFilter::Feed(name)) => write!(f, "feed:\"{name}\""),
            Node::Store(StoreFilter::Folder(name)) => write!(f, "folder:\"{name}\""),
            Node::Store(StoreFilter::Tag(tag)) => write!(f, "tag:\"{tag}\""),
            Node::Store(StoreFilter::Starred) => f.write_str("is:starred"),
            Node::Store(StoreFilter::Unread) => f.write_str("is:unread"),
        }
    }

    fn print_inside(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !matches!(self, Node::All(_) | Node::Any(_)) {
            return self.print(f);
        }
        f.write_str("(")?;
        self.print(f)?;
        f.write_str(")")
    }
}

fn list(f: &mut fmt::Formatter<'_>, nodes: &[Node], between: &str) -> fmt::Result {
    for (index, node) in nodes.iter().enumerate() {
        if index > 0 {
            f.write_str(between)?;
        }
        node.print_inside(f)?;
    }
    Ok(())
}

impl Place {
    fn prefix(self) -> &'static str {
        match self {
            Place::Anywhere => "",
            Place::Title => "title:",
            Place::Author => "author:",
        }
    }
}
