"""Reading a page as a browser would, strictly."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "img", "br", "hr", "source", "input", "wbr"}


@dataclass
class Seen:
    """
    What a page holds.

    Parameters
    ----------
    tags
        Every start tag with its attributes.
    text
        All text but scripts and styles.
    faults
        What is wrong with its form.
    """

    tags: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def all(self, tag: str) -> list[dict[str, str]]:
        """Return the attributes of every element of one kind."""
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def ids(self) -> list[str]:
        """All ids."""
        return [attributes["id"] for _, attributes in self.tags if "id" in attributes]

    @property
    def words(self) -> str:
        """All text, joined."""
        return " ".join("".join(self.text).split())


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.seen = Seen()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        if len(names) != len(set(names)):
            self.seen.faults.append(f"<{tag}> repeats an attribute: {names}")
        self.seen.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1] != tag:
            self.seen.faults.append(f"</{tag}> at line {self.getpos()[0]} closes {self.open[-3:]}")
        else:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] not in ("script", "style"):
            self.seen.text.append(data)


def read_page(page: str) -> Seen:
    """Return what a page holds, with everything that is wrong with it."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    seen = reader.seen
    faults = seen.faults
    faults += [f"<{tag}> is never closed" for tag in reader.open]
    faults += [f"id {name!r} occurs twice" for name in {name for name in seen.ids if seen.ids.count(name) > 1}]
    for tag, attributes in seen.tags:
        for key in ("aria-labelledby", "aria-controls", "for"):
            if key in attributes and attributes[key] not in seen.ids:
                faults.append(f"{key} {attributes[key]!r} leads nowhere")
        for key, value in attributes.items():
            if key in ("src", "srcset", "href", "action", "data") and not value.startswith(("data:image/", "#")):
                faults.append(f"<{tag}> loads {value[:80]!r}")
            if key.startswith("on"):
                faults.append(f"<{tag}> has a handler {key}")
        if tag == "img" and not attributes.get("alt", "").strip():
            faults.append("a picture without words")
        if tag in ("link", "iframe", "object", "embed", "base", "form"):
            faults.append(f"a <{tag}>")
    faults += [f"link to {a['href']!r} leads nowhere" for a in seen.all("a") if a["href"][1:] not in seen.ids]
    style = "".join(re.findall(r"<style>(.*?)</style>", page, flags=re.DOTALL))
    faults += [f"the style loads {url!r}" for url in re.findall(r"url\([^)]*\)|@import[^;]*", style)]
    return seen
