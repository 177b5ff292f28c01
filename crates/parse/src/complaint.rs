//! Collects what was wrong with a document, in sentences and within a bound.
//!
//! A hostile document can break thousands of rules; the list stays at `complaints_max` and its last entry says how
//! many more there were. The same sentence about the same place is kept once.

use domain::{Complaint, Limits};

pub(crate) struct Complaints {
    list: Vec<Complaint>,
    max: usize,
    left_out: usize,
}

impl Complaints {
    pub(crate) fn new(limits: &Limits) -> Self {
        Complaints { list: Vec::new(), max: limits.complaints_max, left_out: 0 }
    }

    pub(crate) fn add(&mut self, what: impl Into<String>, place: impl Into<String>) {
        // One place is kept free for the closing sentence.
        if self.list.len() + 1 >= self.max {
            self.left_out += 1;
            return;
        }
        let complaint = Complaint { what: what.into(), place: place.into() };
        if !self.list.contains(&complaint) {
            self.list.push(complaint);
        }
    }

    pub(crate) fn into_list(mut self) -> Vec<Complaint> {
        if self.left_out > 0 && self.max > 0 {
            let what = format!("{} more complaints were left out.", self.left_out);
            self.list.push(Complaint { what, place: "document".into() });
        }
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_stays_within_its_bound_and_says_what_is_missing() {
        let limits = Limits { complaints_max: 3, ..Limits::default() };
        let mut complaints = Complaints::new(&limits);
        for number in 0..10 {
            complaints.add("The date cannot be read.", format!("item {number}"));
        }
        let list = complaints.into_list();
        assert_eq!(list.len(), 3);
        assert_eq!(list[2].what, "8 more complaints were left out.");
    }

    #[test]
    fn the_same_complaint_is_kept_once() {
        let mut complaints = Complaints::new(&Limits::default());
        complaints.add("a", "b");
        complaints.add("a", "b");
        assert_eq!(complaints.into_list().len(), 1);
    }
}
