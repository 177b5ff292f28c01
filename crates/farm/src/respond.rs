//! Which site a request means and what it answers: a pure function of request and time.

use crate::behaviour::Behaviour;
use crate::calendar::http_date;
use crate::content::TOPICS;
use crate::dice::mix;
use crate::document::media_type;
use crate::hostile;
use crate::icon;
use crate::log::Resource;
use crate::media;
use crate::message::{Body, Framing, Request, Response};
use crate::pages;
use crate::spec::{Caching, FeedSpec, SiteRules};
use crate::story;
use crate::world::{Edition, World};
use domain::Timestamp;
use std::time::Duration;

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Route {
    /// The feed meant, or the first of a shared host.
    pub(crate) feed: Option<usize>,
    pub(crate) resource: Resource,
}

/// Who a host name is.
enum Site {
    Own(usize),
    Shared(usize),
    Wire,
    Shelf,
    Unknown,
}

impl World {
    pub fn respond(&self, request: &Request<'_>, now: Timestamp) -> Response {
        let route = self.route(request);
        if !matches!(request.method, "GET" | "HEAD") {
            return Response::text(405, "text/plain", &b"Only GET.\n"[..]).with("Allow", "GET, HEAD");
        }
        let path = request.path_only();
        let spec = route.feed.and_then(|feed| self.feeds().get(feed));
        let mut response = match (route.resource, spec) {
            (Resource::Feed, Some(spec)) => self.feed_answer(spec, request, now),
            (Resource::Site, Some(spec)) => self.site_answer(spec, request, now),
            (Resource::Article, Some(spec)) => self.article_answer(spec, path, now),
            (Resource::Robots, Some(spec)) => robots(spec.habits.site),
            (Resource::Icon, Some(spec)) => site_icon(spec, path),
            (Resource::Media, Some(_)) => ranged(request, picture(path)),
            (Resource::Site, None) => self.elsewhere(request, path),
            (Resource::Robots, None) => robots(SiteRules::Open),
            _ => not_found(),
        };
        response.headers.push(("Date".into(), http_date(now).into()));
        response
    }

    pub(crate) fn route(&self, request: &Request<'_>) -> Route {
        let path = request.path_only();
        let site = self.site(request.host_name());
        let feed = match site {
            Site::Own(feed) => Some(feed),
            Site::Shared(host) => self.slot_of(host, path),
            Site::Wire | Site::Shelf => None,
            Site::Unknown => return Route { feed: None, resource: Resource::Other },
        };
        let spec = feed.and_then(|feed| self.feeds().get(feed));
        let inner = spec.and_then(|spec| path.strip_prefix(spec.prefix.as_str())).unwrap_or(path);
        let resource = match path {
            "/robots.txt" => Resource::Robots,
            "/favicon.ico" => Resource::Icon,
            _ if matches!(inner, "/favicon.svg" | "/favicon.png") => Resource::Icon,
            "/favicon.svg" | "/favicon.png" => Resource::Icon,
            _ if spec.is_some_and(|spec| path == spec.url_path) => Resource::Feed,
            _ if inner.starts_with("/hop/") || inner == "/loop" => Resource::Feed,
            _ if path.starts_with("/img/") || path.starts_with("/audio/") => Resource::Media,
            _ if matches!(inner, "/" | "" | "/about") || spec.is_none() => Resource::Site,
            _ if number_in(inner).is_some() => Resource::Article,
            _ => Resource::Other,
        };
        Route { feed, resource }
    }

    fn site(&self, host: &str) -> Site {
        let lower: String;
        let host = match host.bytes().any(|byte| byte.is_ascii_uppercase()) {
            true => {
                lower = host.to_ascii_lowercase();
                &lower
            }
            false => host,
        };
        let Some(name) = host.strip_suffix(".test") else { return Site::Unknown };
        // The new addresses of feeds that moved.
        let name = ["-new", "-a", "-b"].iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name);
        let number = |digits: &str| digits.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
        if name == "wire" {
            Site::Wire
        } else if name == "shelf" {
            Site::Shelf
        } else if let Some(host) = name.strip_prefix("many").and_then(number) {
            if self.shared_feeds(host).is_empty() { Site::Unknown } else { Site::Shared(host) }
        } else if let Some(feed) = name.strip_prefix('f').and_then(number) {
            match self.feeds().get(feed).is_some_and(|spec| spec.prefix.is_empty()) {
                true => Site::Own(feed),
                false => Site::Unknown,
            }
        } else {
            Site::Unknown
        }
    }

    /// The feed a path of a shared host belongs to; the first for the paths they share.
    fn slot_of(&self, host: usize, path: &str) -> Option<usize> {
        let inner = path.strip_prefix("/feed/").or_else(|| path.strip_prefix('/')).unwrap_or(path);
        let slot = inner.split(['/', '.']).next().and_then(|slot| slot.parse::<usize>().ok());
        slot.and_then(|slot| self.in_slot(host, slot)).or_else(|| self.in_slot(host, 1))
    }

    fn feed_answer(&self, spec: &FeedSpec, request: &Request<'_>, now: Timestamp) -> Response {
        if let Some(refusal) = hostile::refuse(self, spec, request, now) {
            return refusal;
        }
        let edition = self.edition(spec, now);
        let tracking = spec.behaviour_at(now) == Behaviour::TrackingEtag;
        let unchanged =
            if tracking { known_to_tracker(request, &edition) } else { matches(spec, request, &edition) };
        let mut response = if unchanged {
            Response::new(304)
        } else if let Some(response) = self.delta_answer(spec, request, &edition, now) {
            response
        } else {
            self.whole_answer(spec, request, &edition, now)
        };
        if tracking {
            let mark = mix(now.micros().unsigned_abs());
            response = response.with("ETag", format!("{}-{mark:x}\"", edition.etag.trim_end_matches('"')));
        } else if spec.habits.etag {
            response = response.with("ETag", edition.etag.clone());
        }
        if spec.habits.last_modified && !tracking {
            response = response.with("Last-Modified", edition.last_modified.clone());
        }
        hostile::twist(spec, caching(spec, response, now), now)
    }

    fn whole_answer(
        &self,
        spec: &FeedSpec,
        request: &Request<'_>,
        edition: &Edition,
        now: Timestamp,
    ) -> Response {
        let mut response = Response::new(200);
        let charset_unsaid = spec.behaviour == Behaviour::Latin1;
        let media = media_type(spec.format);
        let media = if charset_unsaid { media.split(';').next().unwrap_or(media) } else { media };
        response = response.with("Content-Type", media);
        if spec.habits.gzip {
            response = response.with("Vary", "Accept-Encoding");
        }
        if spec.habits.gzip && request.names("Accept-Encoding", "gzip") {
            response = response.with("Content-Encoding", "gzip");
            response.body = Body::Whole(edition.gzip(self, spec, now));
        } else {
            response.body = Body::Whole(edition.body(self, spec, now));
        }
        if spec.habits.chunked {
            response.framing = Framing::Chunked;
        }
        response
    }

    /// 226 with what is new since the edition the client has (RFC 3229 with the `feed` manipulation).
    fn delta_answer(
        &self,
        spec: &FeedSpec,
        request: &Request<'_>,
        edition: &Edition,
        now: Timestamp,
    ) -> Option<Response> {
        if !spec.habits.delta || !request.names("A-IM", "feed") {
            return None;
        }
        let known = Edition::known_number(request.header("If-None-Match")?)?;
        // An edition that no longer overlaps ours gets the whole document.
        edition.posts.iter().find(|(post, _)| post.number == known)?;
        let mut response = Response::new(226)
            .with("Content-Type", media_type(spec.format))
            .with("IM", "feed")
            .with("Cache-Control", "no-store, im");
        response.body = Body::Whole(self.delta(spec, edition, known, now));
        Some(response)
    }

    fn site_answer(&self, spec: &FeedSpec, request: &Request<'_>, now: Timestamp) -> Response {
        let path = request.path_only();
        if path.ends_with("/about") {
            return html(pages::about(spec));
        }
        let whole_host = path == "/" && !spec.prefix.is_empty();
        let specs: Vec<&FeedSpec> = match self.site(request.host_name()) {
            Site::Shared(host) if whole_host => {
                self.shared_feeds(host).iter().filter_map(|&feed| self.feeds().get(feed)).collect()
            }
            _ => vec![spec],
        };
        let newest = self.newest(spec, now, 10);
        let latest: Vec<_> = newest.into_iter().map(|post| self.write(spec, post, 0)).collect();
        html(pages::front(self, &specs, &latest))
    }

    fn article_answer(&self, spec: &FeedSpec, path: &str, now: Timestamp) -> Response {
        let inner = path.strip_prefix(spec.prefix.as_str()).unwrap_or(path);
        let post = number_in(inner).and_then(|number| self.find(spec, number, now));
        post.map_or_else(not_found, |post| html(pages::article(spec, &self.write(spec, post, 0))))
    }

    /// The wire that stories come from, and the shelf that articles point to.
    fn elsewhere(&self, request: &Request<'_>, path: &str) -> Response {
        match self.site(request.host_name()) {
            Site::Wire => {
                let told = path.strip_prefix("/story/").and_then(|name| name.split_once('-')).and_then(
                    |(day, topic)| {
                        story::tell_story(self.config().seed, topic.parse().ok()?, day.parse().ok()?)
                    },
                );
                told.map_or_else(not_found, |story| html(pages::story(&story)))
            }
            Site::Shelf => {
                let page = path.trim_start_matches('/').split_once('/').and_then(|(topic, number)| {
                    let topic = TOPICS.iter().find(|known| known.key == topic)?;
                    Some(pages::shelf(topic.folder, number.parse().ok()?))
                });
                page.map_or_else(not_found, html)
            }
            _ => not_found(),
        }
    }
}

/// RFC 9110 §13.2.2: If-None-Match decides alone where it is present. Dates are compared byte for byte, so that a
/// client that reformats them gets the whole document.
fn matches(spec: &FeedSpec, request: &Request<'_>, edition: &Edition) -> bool {
    match request.header("If-None-Match") {
        Some(tags) if spec.habits.etag => {
            tags.trim() == "*" || tags.split(',').any(|tag| tag.trim() == edition.etag)
        }
        Some(_) => false,
        None => {
            spec.habits.last_modified
                && request.header("If-Modified-Since").is_some_and(|date| date == edition.last_modified)
        }
    }
}

/// The tracker's tags end in a mark of their own; what stands before it is the edition.
fn known_to_tracker(request: &Request<'_>, edition: &Edition) -> bool {
    let edition = edition.etag.trim_end_matches('"');
    request.header("If-None-Match").is_some_and(|tag| {
        tag.strip_prefix(edition).is_some_and(|rest| rest.starts_with('-') || rest.starts_with('"'))
    })
}

fn caching(spec: &FeedSpec, mut response: Response, now: Timestamp) -> Response {
    if response.status == 226 {
        return response;
    }
    response.fresh_until = spec.habits.caching.freshness().map(|span| now.saturating_add(span));
    match spec.habits.caching {
        Caching::Unsaid => response,
        Caching::MaxAge { seconds } => response.with("Cache-Control", format!("public, max-age={seconds}")),
        Caching::Expires { seconds } => {
            let at = now.saturating_add(Duration::from_secs(u64::from(seconds)));
            response.with("Expires", http_date(at))
        }
        Caching::NoCache => response.with("Cache-Control", "no-cache"),
    }
}

fn robots(rules: SiteRules) -> Response {
    let text = match rules {
        SiteRules::Open => "User-agent: *\nAllow: /\n",
        SiteRules::Partly => "User-agent: *\nCrawl-delay: 5\nDisallow: /private/\n",
        SiteRules::Closed => "User-agent: *\nDisallow: /\n",
        SiteRules::Absent => return not_found(),
        SiteRules::Failing => return Response::text(503, "text/plain", &b"Not now.\n"[..]),
    };
    Response::text(200, "text/plain; charset=utf-8", text.as_bytes())
}

fn site_icon(spec: &FeedSpec, path: &str) -> Response {
    let number = mix(spec.index as u64);
    let response = match path.rsplit('.').next() {
        Some("svg") => Response::text(200, "image/svg+xml", icon::svg(number)),
        Some("png") => Response::text(200, "image/png", icon::png(number)),
        _ => Response::text(200, "image/x-icon", media::ico(number)),
    };
    response.with("ETag", format!("\"icon-{number:x}\"")).with("Cache-Control", "max-age=604800")
}

fn picture(path: &str) -> Response {
    let name = path.rsplit('/').next().unwrap_or_default();
    let Some((number, extension)) = name.split_once('.') else { return not_found() };
    let Ok(number) = number.parse::<u64>() else { return not_found() };
    match extension {
        "svg" => Response::text(200, "image/svg+xml", media::svg(number)),
        "png" => Response::text(200, "image/png", media::picture(number)),
        "wav" => Response::text(200, "audio/wav", media::audio()).with("Accept-Ranges", "bytes"),
        _ => not_found(),
    }
}

/// One range of a whole body (RFC 9110 §14), for players that jump; anything else gets the whole.
fn ranged(request: &Request<'_>, mut response: Response) -> Response {
    let Some(asked) = request.header("Range").and_then(|range| range.strip_prefix("bytes=")) else {
        return response;
    };
    let (200, Body::Whole(whole)) = (response.status, &response.body) else { return response };
    let Some((first, last)) = asked.split_once('-') else { return response };
    let length = whole.len();
    let end = last.parse::<usize>().map_or(length, |last| last.saturating_add(1)).min(length);
    let Some(first) = first.parse::<usize>().ok().filter(|first| *first < end) else { return response };
    let part = whole.slice(first..end);
    response.status = 206;
    response.body = Body::Whole(part);
    response.with("Content-Range", format!("bytes {first}-{}/{length}", end - 1))
}

/// The number in the last segment of `/2026/03/12034-some-title`.
fn number_in(path: &str) -> Option<u64> {
    let (rest, last) = path.rsplit_once('/')?;
    rest.bytes().all(|byte| byte == b'/' || byte.is_ascii_digit()).then_some(())?;
    last.split('-').next()?.parse().ok()
}

fn html(page: String) -> Response {
    Response::text(200, "text/html; charset=utf-8", page)
}

fn not_found() -> Response {
    Response::text(404, "text/plain; charset=utf-8", &b"Nothing here.\n"[..])
}
