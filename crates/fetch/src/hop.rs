//! One request, and what its failure means.

use crate::failure::{Failure, Refusal};
use crate::resolve::{Barred, NotResolved};
use domain::Limits;
use http::{HeaderMap, Method};
use reqwest::{Client, Request, Response};
use std::error::Error;
use std::io;
use tokio::time::{Instant, timeout_at};
use url::Url;

#[derive(Debug, PartialEq)]
pub(crate) enum Stopped {
    Refused(Refusal),
    Failed(Failure),
}

/// Sends one GET and waits for the head of the answer, which must come before `deadline` and within its own bound.
pub(crate) async fn send(
    client: &Client,
    url: &Url,
    headers: HeaderMap,
    limits: &Limits,
    deadline: Instant,
) -> Result<Response, Stopped> {
    let mut request = Request::new(Method::GET, url.clone());
    *request.headers_mut() = headers;
    let until = deadline.min(Instant::now() + limits.first_byte_timeout);
    let response = match timeout_at(until, client.execute(request)).await {
        Err(_) => return Err(Stopped::Failed(Failure::NoAnswer)),
        Ok(Err(error)) => return Err(stopped(&error)),
        Ok(Ok(response)) => response,
    };
    if is_too_large(response.headers(), limits) {
        return Err(Stopped::Failed(Failure::HeadersTooLarge));
    }
    Ok(response)
}

/// The client's own buffer is larger than our bound, and HTTP/2 counts otherwise, so the head is measured again (B5).
fn is_too_large(headers: &HeaderMap, limits: &Limits) -> bool {
    // Name, colon, space, value, line end.
    let bytes = headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum::<usize>();
    headers.len() > limits.header_fields_max || bytes > limits.header_bytes_max
}

fn stopped(error: &reqwest::Error) -> Stopped {
    if let Some(Barred(refusal)) = find(error) {
        return Stopped::Refused(*refusal);
    }
    Stopped::Failed(failure(error))
}

fn failure(error: &reqwest::Error) -> Failure {
    if find::<NotResolved>(error).is_some() {
        Failure::Dns
    } else if let Some(tls) = find::<rustls::Error>(error) {
        Failure::Tls(tls_words(tls))
    } else if error.is_connect() && error.is_timeout() {
        Failure::ConnectTimeout
    } else if error.is_connect() {
        Failure::Connect
    } else if error.is_timeout() {
        Failure::NoAnswer
    } else if chain(error).any(|cause| cause.to_string().contains("head is too large")) {
        Failure::HeadersTooLarge
    } else {
        Failure::Protocol
    }
}

/// A certificate's problem in few words; the details would mean nothing to a reader.
fn tls_words(error: &rustls::Error) -> String {
    use rustls::CertificateError as Bad;
    match error {
        rustls::Error::InvalidCertificate(Bad::Expired | Bad::ExpiredContext { .. }) => {
            "its certificate has expired"
        }
        rustls::Error::InvalidCertificate(Bad::NotValidYet | Bad::NotValidYetContext { .. }) => {
            "its certificate is not valid yet"
        }
        rustls::Error::InvalidCertificate(Bad::NotValidForName | Bad::NotValidForNameContext { .. }) => {
            "its certificate is for another name"
        }
        rustls::Error::InvalidCertificate(Bad::UnknownIssuer | Bad::BadSignature) => {
            "its certificate is signed by nobody we know"
        }
        rustls::Error::InvalidCertificate(_) => "its certificate is not valid",
        _ => "the handshake was broken off",
    }
    .to_owned()
}

/// The first cause of this type. An `io::Error` hides what it wraps from `source`, so it is opened as well.
fn find<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    chain(error).find_map(|cause| {
        cause.downcast_ref().or_else(|| {
            let inner = cause.downcast_ref::<io::Error>()?.get_ref()?;
            inner.downcast_ref().or_else(|| find_below(inner))
        })
    })
}

/// One more level: TLS errors arrive as an I/O error within an I/O error.
fn find_below<'a, E: Error + 'static>(inner: &'a (dyn Error + Send + Sync + 'static)) -> Option<&'a E> {
    inner.downcast_ref::<io::Error>()?.get_ref()?.downcast_ref()
}

fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |cause: &&'a (dyn Error + 'static)| (*cause).source()).take(16)
}
