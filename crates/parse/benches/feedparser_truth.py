"""Reads paths of feed documents from standard input, one per line, and prints what feedparser makes of each as one
JSON object per line; the last line holds the seconds of the fastest of three passes. Needs feedparser 6.0.14."""

import calendar
import html
import json
import re
import sys
import time

import feedparser

HTML_TYPES = ("text/html", "application/xhtml+xml")


def plain(value, kind):
    if value is None:
        return None
    if kind in HTML_TYPES:
        value = html.unescape(re.sub(r"<[^>]*>", "", value))
    return " ".join(value.split()) or None


def text_of(value, kind):
    """Words of a body: tags become spaces, so that only the text is compared."""
    if not value:
        return None
    if kind in HTML_TYPES:
        value = html.unescape(re.sub(r"<[^>]*>", " ", value))
    return " ".join(value.split()) or None


def seconds(parsed):
    return calendar.timegm(parsed) if parsed else None


def title_of(thing):
    detail = thing.get("title_detail") or {}
    return plain(thing.get("title"), detail.get("type", "text/plain"))


def entry_of(entry):
    content = entry.get("content") or []
    summary = entry.get("summary")
    kind = (entry.get("summary_detail") or {}).get("type", "text/html")
    body, body_kind = (content[0].get("value"), content[0].get("type")) if content else (summary, kind)
    raw = dict.get(entry, "updated_parsed")
    return {
        "id": entry.get("id"),
        "title": title_of(entry),
        "link": entry.get("link") or None,
        "published": seconds(dict.get(entry, "published_parsed")),
        "updated": seconds(raw),
        "created": seconds(dict.get(entry, "created_parsed")),
        "has_body": bool(body or summary),
        "body": text_of(body, body_kind) or text_of(summary, kind),
        "summary": text_of(summary, kind),
        "author": entry.get("author"),
        "tags": [t.get("term") for t in entry.get("tags", []) if t.get("term")],
        "enclosures": [l.get("href") for l in entry.get("links", []) if l.get("rel") == "enclosure" and l.get("href")],
    }


def main():
    documents = []
    for line in sys.stdin:
        with open(line.rstrip("\n"), "rb") as file:
            documents.append((line.rstrip("\n"), file.read()))
    for path, data in documents:
        try:
            parsed = feedparser.parse(data)
        except Exception as error:  # A crash of the yardstick is a result as well.
            print(json.dumps({"file": path, "error": repr(error)}))
            continue
        print(json.dumps({
            "file": path,
            "version": parsed.get("version"),
            "title": title_of(parsed.feed),
            "link": parsed.feed.get("link") or None,
            "entries": [entry_of(entry) for entry in parsed.entries],
        }))
    fastest = min(one_pass(documents) for _ in range(3))
    print(json.dumps({"seconds": fastest, "bytes": sum(len(data) for _, data in documents)}))


def one_pass(documents):
    start = time.perf_counter()
    for _, data in documents:
        try:
            feedparser.parse(data)
        except Exception:
            pass
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
