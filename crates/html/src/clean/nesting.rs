//! Which elements a tag closes or needs around it, so that every parser reads the same tree (§13.2.6.4 of the HTML
//! standard, for the elements we keep). The stack is at most `html_depth_max` deep, so each search is bounded.

use super::Writer;
use super::values::Values;
use crate::tag::{CELL, CLOSES_P, FORMATTING, FRAME, HEADING, IMPLIED_END, SPECIAL, Tag};

impl Writer<'_> {
    /// Table parts stand where a parser would put them, with the parts they need around them.
    pub(super) fn table_part(&mut self, tag: Tag, values: &Values<'_>) {
        let Some(table) = self.open.iter().rposition(|open| *open == Tag::Table) else { return self.gap() };
        if matches!(tag, Tag::Caption | Tag::Thead | Tag::Tbody | Tag::Tfoot) {
            self.close_to(table + 1);
            self.open(tag, values);
            return;
        }
        if self.open.get(table + 1).is_some_and(|section| section.has(FRAME)) {
            self.close_to(if tag != Tag::Tr && self.open.get(table + 2) == Some(&Tag::Tr) {
                table + 3
            } else {
                table + 2
            });
        } else {
            self.close_to(table + 1);
            self.open(Tag::Tbody, &Values::NONE);
        }
        if tag != Tag::Tr && self.open.last() != Some(&Tag::Tr) {
            self.open(Tag::Tr, &Values::NONE);
        }
        self.open(tag, values);
    }

    /// Text between table parts would be moved in front of the table by a parser (foster parenting, which is
    /// quadratic); here it gets a cell of its own and stays where it was written.
    pub(super) fn imply_cell(&mut self) {
        for part in [Tag::Tbody, Tag::Tr, Tag::Td] {
            let needed = match self.open.last() {
                Some(Tag::Table) => true,
                Some(Tag::Tbody | Tag::Thead | Tag::Tfoot) => part != Tag::Tbody,
                Some(Tag::Tr) => part == Tag::Td,
                _ => false,
            };
            if needed {
                self.open(part, &Values::NONE);
            }
        }
    }

    /// Closes what the start of `tag` closes (§13.2.6.4.7).
    pub(super) fn enter(&mut self, tag: Tag) {
        if self.in_frame() {
            self.imply_cell();
        }
        match tag {
            Tag::Li => self.close_item(&[Tag::Li]),
            Tag::Dt | Tag::Dd => self.close_item(&[Tag::Dt, Tag::Dd]),
            Tag::Rt | Tag::Rp if self.in_ruby() => {
                while self.open.last().is_some_and(|open| open.has(IMPLIED_END)) {
                    self.close_to(self.open.len() - 1);
                }
            }
            _ => {}
        }
        if tag.has(CLOSES_P)
            && let Some(at) = self.find_open(Tag::P)
        {
            self.close_to(at);
        }
        if tag.has(HEADING) && self.open.last().is_some_and(|open| open.has(HEADING)) {
            self.close_to(self.open.len() - 1);
        }
    }

    fn close_item(&mut self, items: &[Tag]) {
        for at in (0..self.open.len()).rev() {
            let open = self.open[at];
            if items.contains(&open) {
                return self.close_to(at);
            }
            if open.has(SPECIAL) && !matches!(open, Tag::Address | Tag::Div | Tag::P) {
                return;
            }
        }
    }

    /// Where the element is open that an end tag (or a new element) would close.
    pub(super) fn find_open(&self, tag: Tag) -> Option<usize> {
        if self.counts[tag as usize] == 0 && !tag.has(HEADING) {
            return None;
        }
        let of_table = tag.has(FRAME) || tag.has(CELL);
        for (at, open) in self.open.iter().enumerate().rev() {
            if *open == tag || (tag.has(HEADING) && open.has(HEADING)) {
                return Some(at);
            }
            let stops = match tag {
                _ if of_table => *open == Tag::Table,
                _ if open.has(CELL) || open.has(FRAME) => true,
                Tag::Li => matches!(open, Tag::Ul | Tag::Ol),
                Tag::Dt | Tag::Dd => *open == Tag::Dl,
                // Links, bold and their like end whatever they enclose; a span does not end a paragraph.
                _ => !tag.has(SPECIAL) && !tag.has(FORMATTING) && open.has(SPECIAL),
            };
            if stops {
                return None;
            }
        }
        None
    }

    /// Whether a `ruby` is open, however deep, but not outside the cell we are in.
    fn in_ruby(&self) -> bool {
        let mut inside = self.open.iter().rev().take_while(|open| !open.has(CELL) && !open.has(FRAME));
        self.counts[Tag::Ruby as usize] > 0 && inside.any(|open| *open == Tag::Ruby)
    }

    pub(super) fn in_frame(&self) -> bool {
        self.open.last().is_some_and(|open| open.has(FRAME))
    }
}
