//! Sentences for people that are not in a template, in one place for translation.

use crate::account::NAME_CHARS_MAX;
use crate::password::{BYTES_MAX, CHARS_MIN};

// The numbers are written out, because a sentence is translated as a whole; these lines keep them true.
const _: () = assert!(NAME_CHARS_MAX == 64 && CHARS_MIN == 10 && BYTES_MAX == 1024);

pub(crate) const NAME_EMPTY: &str = "Choose a name.";
pub(crate) const NAME_LONG: &str = "This name is too long. Use at most 64 characters.";
pub(crate) const NAME_INVISIBLE: &str =
    "This name has characters that cannot be seen, such as line breaks. Type it again by hand.";
pub(crate) const NAME_TAKEN: &str = "There already is an account with this name. Choose another.";
pub(crate) const PASSWORD_SHORT: &str = "This password is too short. Use at least 10 characters.";
pub(crate) const PASSWORD_LONG: &str = "This password is too long. Use at most 1,024 bytes.";
pub(crate) const PASSWORD_DIFFERS: &str = "The two passwords differ. Type the same one again.";

pub(crate) const LINK_WRONG_TITLE: &str = "This set-up link does not work";
pub(crate) const LINK_WRONG: &str = "The link for setting up is printed in the terminal where Wellread runs, and changes with \
    each start. Look there for the newest one, or run `wellread serve` again.";
pub(crate) const CLOSED_TITLE: &str = "Wellread is already set up";
pub(crate) const CLOSED: &str = "The first account exists, so this page is closed for good. More accounts are added in the \
    terminal: `wellread user add NAME`.";

pub(crate) const NOT_FOUND_TITLE: &str = "There is no such page";
pub(crate) const NOT_FOUND: &str = "The address may be mistyped, or the page has moved.";
pub(crate) const METHOD_TITLE: &str = "This page cannot be used that way";
pub(crate) const METHOD: &str =
    "The request used a method that this address does not know. Go back and follow a link instead.";
pub(crate) const CROSS_SITE_TITLE: &str = "This request came from another site";
pub(crate) const CROSS_SITE: &str = "A form was sent here by a page that is not Wellread's, so nothing was done. If you meant \
    it, open the page here and send its form. If you see this behind a proxy, let it pass `Host` and `Origin` on unchanged.";
pub(crate) const LARGE_TITLE: &str = "That was too much at once";
pub(crate) const LARGE: &str = "The request was larger than this page accepts (64 KiB), so nothing was done.";
pub(crate) const FORM_TITLE: &str = "This form could not be read";
pub(crate) const FORM: &str = "What arrived was not the form of this page, so nothing was done. Go back, load the page again \
    and repeat.";
pub(crate) const SLOW_TITLE: &str = "This takes too long";
pub(crate) const SLOW: &str = "Wellread is busy or its database does not answer. Try again in a minute.";
pub(crate) const FULL_TITLE: &str = "The disk is full";
pub(crate) const FULL: &str =
    "Nothing more can be kept until the operator frees space, so what you sent was not saved.";
pub(crate) const STORE_TITLE: &str = "The database does not answer";
pub(crate) const STORE: &str =
    "Nothing was changed. Try again in a minute; the log of the server says what is wrong.";
pub(crate) const BROKEN_TITLE: &str = "Something went wrong here";
pub(crate) const BROKEN: &str = "This is a mistake in Wellread, not yours. Try again; if it stays, tell the operator the number \
    below, which finds the reason in the log.";
pub(crate) const ODD_TITLE: &str = "This request could not be answered";
pub(crate) const ODD: &str = "Something in the request was not understood, so nothing was done.";

pub(crate) const NOT_READY: &str = "The database does not answer; look at the log.\n";
