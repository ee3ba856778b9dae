#!/usr/bin/env python3
"""Pages for `make docs`. `docs.py copy FOLDER` copies README.md, docs/ and the files to which they link, as mkdocs reads
them. `docs.py check SITE` fails if a page of the built site requests another host, or if a link has no target."""

import html.parser
import pathlib
import re
import shutil
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\(([^)\s]+)\)")


def deeper(text):
    """Returns a page with four blanks instead of two inside of list items: Python-Markdown needs them."""
    lines, fenced, listed = [], False, False
    for line in text.split("\n"):
        if line.startswith("```"):
            fenced = not fenced
        if not fenced and line.strip():
            listed = bool(re.match(r"(-|\d+\.) ", line)) or (listed and line.startswith("  "))
        lines.append("  " + line if listed and not fenced and line.startswith("  ") else line)
    return "\n".join(lines)


def copy(folder):
    shutil.rmtree(folder, ignore_errors=True)
    done, waiting = set(), [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    while waiting:
        page = waiting.pop().resolve()
        if page in done or not page.is_relative_to(ROOT):
            continue
        done.add(page)
        target = folder / page.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        if page.suffix != ".md":
            shutil.copyfile(page, target)
            continue
        text = page.read_text()
        target.write_text(deeper(text))
        for link in LINK.findall(re.sub(r"```.*?```", "", text, flags=re.S)):
            linked = page.parent / link.split("#")[0]
            if "://" not in link and linked.is_file():
                waiting.append(linked)


class Page(html.parser.HTMLParser):
    """Anchors, links and requests of a page."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.requests = set(), set(), set()
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors.update(v for k, v in attributes if k in ("id", "name") and v)
        if tag == "a" and values.get("href"):
            self.links.add(values["href"])
        elif tag == "link" and values.get("rel") != "canonical":
            self.requests.add(values.get("href") or "")
        self.requests.add(values.get("src") or "")


def check(site):
    pages = {path: Page(path) for path in site.rglob("*.html") if path.name != "404.html"}
    problems, links = [], 0
    for path, page in pages.items():
        name = path.relative_to(site)
        problems += [f"{name} requests {r}" for r in page.requests if re.match(r"(https?:)?//", r)]
        for link in sorted(page.links | page.requests):
            target, _, anchor = urllib.parse.unquote(link).partition("#")
            if re.match(r"[a-z]+:", link) or link in ("", "#", "."):
                continue
            links += 1
            linked = (path.parent / target).resolve() if target else path
            if not linked.exists() or (anchor and linked in pages and anchor not in pages[linked].anchors):
                problems.append(f"{name} links to {link}")
    print(f"{len(pages)} pages, {links} links" + "".join("\n" + p for p in problems))
    return 1 if problems or len(pages) < 30 else 0


if __name__ == "__main__":
    action, place = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    sys.exit({"copy": copy, "check": check}[action](place))
