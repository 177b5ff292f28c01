//! Why a fetch did not give a body, in sentences for people.
//!
//! A [`Refusal`] is ours: we did not ask. A [`Failure`] is what went wrong when we did. Neither names the address
//! that was tried: the text must not tell a prober what is behind it (E1), and logs must not carry secrets.

use thiserror::Error;

/// We did not ask, or did not follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Refusal {
    #[error("Only http and https addresses can be fetched. Check the beginning of the address.")]
    Scheme,
    #[error("The address has no host name. Check the address.")]
    Host,
    #[error("The address is too long. Check the address.")]
    TooLong,
    #[error(
        "This port is not used for feeds. If it is meant, ask the administrator to add host:port to the allow-list."
    )]
    Port,
    /// One text for every private, special or own address: it must not tell which, or whether anything is there.
    #[error(
        "This address is in a network Wellread does not enter. If the server is yours, ask the administrator to add host:port to the allow-list."
    )]
    Address,
    #[error(
        "The secure address redirects to an insecure one, and this feed has a password. Ask the publisher for a secure address."
    )]
    Downgrade,
    #[error(
        "The user agent set for this feed has characters that cannot be sent. Change it in the feed's settings."
    )]
    UserAgent,
    #[error("A header or the login set for this feed cannot be sent. Change it in the feed's settings.")]
    Header,
    #[error("The site's robots.txt asks programs not to fetch this page. Open it in a browser instead.")]
    Robots,
    #[error("The site's robots.txt cannot be read just now, so the page is not fetched. Try again later.")]
    RobotsUnreachable,
    #[error("The publisher asked not to be fetched by this server. Open the site in a browser instead.")]
    OptedOut,
}

/// We asked, and it went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Failure {
    #[error("The host name was not found. Check the address; Wellread tries again later.")]
    Dns,
    #[error("The server could not be reached. Wellread tries again later.")]
    Connect,
    #[error("The server could not be reached in time. Wellread tries again later.")]
    ConnectTimeout,
    #[error("The server took the request and did not answer in time. Wellread tries again later.")]
    NoAnswer,
    #[error("The server did not finish its answer in time. Wellread tries again later.")]
    Timeout,
    #[error("The server sent its answer too slowly. Wellread tries again later.")]
    TooSlow,
    #[error(
        "The secure connection failed ({0}). The publisher has to repair the certificate; Wellread tries again later."
    )]
    Tls(String),
    #[error("The server broke off or answered in a way that is not HTTP. Wellread tries again later.")]
    Protocol,
    #[error("The answer has too many or too long headers. The publisher has to repair this.")]
    HeadersTooLarge,
    #[error("The answer is larger than {bytes_max} bytes. The publisher should offer a shorter feed.")]
    TooLarge { bytes_max: u64 },
    #[error("The answer unpacks to far more than it should. The publisher has to repair this.")]
    Ratio,
    #[error("The answer is packed in a way Wellread does not read. The publisher has to repair this.")]
    Encoding,
    #[error("The packed answer is damaged. Wellread tries again later.")]
    Decode,
    #[error("The address redirects too often. Check the address in a browser.")]
    RedirectLimit,
    #[error("The address redirects to nowhere. Check the address in a browser.")]
    BadRedirect,
    #[error("The server says \"not modified\" although nothing was known of it. Wellread tries again later.")]
    NotModifiedUnasked,
    #[error("The server answered with status {0}. Wellread tries again later.")]
    Status(u16),
}

impl Failure {
    /// Nothing answered, so our own network may be the one that is down. When most feeds end like this at once, blame
    /// ourselves and not the feeds. A caller should also see `Answer::status == None`: after a redirect somebody did
    /// answer.
    pub const fn is_ours_maybe(&self) -> bool {
        matches!(self, Failure::Dns | Failure::Connect | Failure::ConnectTimeout | Failure::NoAnswer)
    }
}

/// The fetcher itself could not be set up.
#[derive(Debug, Error)]
pub enum FetchError {
    #[error("setting up TLS")]
    Tls(#[from] rustls::Error),
    #[error("setting up the HTTP client")]
    Client(#[from] reqwest::Error),
    #[error("the contact address cannot be sent in a header: {0:?}")]
    Contact(String),
}
