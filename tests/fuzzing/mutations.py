"""Damage of any kind: files become files that somebody may have broken, by accident or on purpose."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

if TYPE_CHECKING:
    import numpy as np

T = TypeVar("T")

Files: TypeAlias = dict[str, bytes]
"""The files of a folder, by their paths; a path that ends in "/" is a folder where a file belongs."""

MAX_BYTES = 150_000
"""A longer file costs time, and shows nothing new: what limits files is tested by name."""

_TOKEN = re.compile(rb"[\w.+-]+|[^\w\s]|\s+")
_NUMBER = re.compile(rb"-?\d+")

NUMBERS = (
    *(b"-1 0 1 2 3 4 5 7 8 9 12 13 20 50 63 64 65 99 100 127 128 200 201 255 256 999 1000 10000 65536".split()),
    *(b"2147483647 2147483648 9223372036854775807 18446744073709551616 -0 00 1.5 -1e5 1e400 0x10 1_0 +1".split()),
    *("\u00b2 \uff13 \u0663 \u00bd".encode().split()),
    b"9" * 19,
    b"9" * 399,
    b"9" * 5_000,
)
SNIPPETS = (
    *(b"\x00 \xff \xc3 \xed\xa0\x80 \xf4\x90\x80\x80 \xef\xbb\xbf \r \r\n \v \x1b[31m \x7f".split(b" ")),
    *(b", ; : \t # = \" ' ` \\ \n \n\n [ ] [[ ]] { } ( ) | / ? * . - -> @ % & + $ ~ ^ ! _".split(b" ")),
    *(b'""" \'\'\' [] {} [{}] {"a":1} null true false NaN Infinity -Infinity None inf nan'.split(b" ")),
    *(b"../../etc/passwd <script>alert(1)</script> =cmd() %s %(x)s {0} ${x} __class__ con nul".split(b" ")),
    *("\u202e \u2028 \u0085 \u200b \u00a0 \u3000 \u0130 \u017f \u00df \ufb01 \u212b e\u0301".encode().split(b" ")),
    *("\U0001f686 \ue000 \ufffd \u2019 \uff0d \uff1d \uff1f".encode().split(b" ")),
    b"a" * 101,
    b"a" * 201,
    b"a" * 20_000,
    b" " * 9_000,
    b"[" * 3_000,
    b'{"a":' * 3_000,
    b"(" * 3_000,
    b"a." * 49,
    "\u0301".encode() * 400,
    b"a" + b" " * 20_000 + b"b",
    b"1," * 2_000,
    b"\n" * 5_000,
)


def mutated(rng: np.random.Generator, files: Files, words: Sequence[bytes], others: Sequence[Files]) -> Files:
    """
    Return files with one change or a few.

    Parameters
    ----------
    rng
        Random numbers.
    files
        What they were.
    words
        What means something in them.
    others
        Right files of the same kind, which may lend a piece.
    """
    changed = dict(files)
    for _ in range(int(rng.geometric(0.5))):
        name = _one(rng, sorted(changed)) if changed else ""
        if len(files) > 1 and rng.random() < _OF_FOLDERS:
            _change_folder(rng, changed, name)
        elif name and not name.endswith("/"):
            change = _one(rng, CHANGES)
            damage = _Damage(rng, words, _one(rng, others).get(name, b""))
            changed[name] = change(damage, changed[name])[:MAX_BYTES]
    return changed


_OF_FOLDERS = 0.05


def _change_folder(rng: np.random.Generator, files: Files, name: str) -> None:
    """Remove, rename, empty or exchange a file of a folder, or put a folder in its place."""
    content, plain = files.pop(name, b""), name.rstrip("/")
    match int(rng.integers(5)):
        case 0:
            pass
        case 1:
            files[f"{plain}x"] = content
        case 2:
            files[plain] = b""
        case 3 if files:
            other = _one(rng, sorted(files)).rstrip("/")
            files[plain], files[other] = files.pop(other, b""), content
        case _:
            files[f"{plain}/"] = b""


class _Damage(NamedTuple):
    """The changes of one file: each makes bytes of bytes."""

    rng: np.random.Generator
    words: Sequence[bytes]
    other: bytes

    def flip_bit(self, content: bytes) -> bytes:
        at = self._below(len(content))
        return content[:at] + bytes(byte ^ 1 << self._below(8) for byte in content[at : at + 1]) + content[at + 1 :]

    def cut(self, content: bytes) -> bytes:
        return content[: self._below(len(content))]

    def insert(self, content: bytes) -> bytes:
        at = self._below(len(content) + 1)
        return content[:at] + self._word() + content[at:]

    def drop_slice(self, content: bytes) -> bytes:
        first, end = self._slice(content)
        return content[:first] + content[end:]

    def repeat_slice(self, content: bytes) -> bytes:
        first, end = self._slice(content)
        return content[:end] + content[first:end] * self._times(end - first) + content[end:]

    def lend_slice(self, content: bytes) -> bytes:
        (first, end), (at, to) = self._slice(content), self._slice(self.other)
        return content[:first] + self.other[at:to] + content[end:]

    def replace_token(self, content: bytes) -> bytes:
        return self._exchange(content, _TOKEN, self._word())

    def replace_number(self, content: bytes) -> bytes:
        return self._exchange(content, _NUMBER, _one(self.rng, NUMBERS))

    def swap_tokens(self, content: bytes) -> bytes:
        return self._swapped(_TOKEN.findall(content))

    def drop_line(self, content: bytes) -> bytes:
        lines = content.splitlines(keepends=True)
        at = self._below(len(lines))
        return b"".join(lines[:at] + lines[at + 1 :])

    def swap_lines(self, content: bytes) -> bytes:
        return self._swapped(content.splitlines(keepends=True))

    def repeat_line(self, content: bytes) -> bytes:
        lines = content.splitlines(keepends=True) or [b"\n"]
        at = self._below(len(lines))
        return b"".join([*lines[:at], *[lines[at]] * self._times(len(lines[at])), *lines[at:]])

    def lend_line(self, content: bytes) -> bytes:
        lines, theirs = content.splitlines(keepends=True), self.other.splitlines(keepends=True) or [b"\n"]
        at = self._below(len(lines) + 1)
        return b"".join([*lines[:at], _one(self.rng, theirs), *lines[at + self._below(2) :]])

    def _below(self, n: int) -> int:
        return int(self.rng.integers(n)) if n else 0

    def _word(self) -> bytes:
        return _one(self.rng, (self.words, self.words, NUMBERS, SNIPPETS)[self._below(4)])

    def _slice(self, content: bytes) -> tuple[int, int]:
        first = self._below(len(content) + 1)
        return first, min(len(content), first + int(self.rng.geometric(0.05)))

    def _times(self, length: int) -> int:
        return min(int(2 ** self.rng.uniform(0, 12)), MAX_BYTES // (length + 1))

    def _swapped(self, items: list[bytes]) -> bytes:
        if items:
            one, two = self.rng.integers(len(items), size=2).tolist()
            items[one], items[two] = items[two], items[one]
        return b"".join(items)

    def _exchange(self, content: bytes, pattern: re.Pattern[bytes], new: bytes) -> bytes:
        found = [match.span() for match in pattern.finditer(content)] or [(len(content), len(content))]
        first, end = _one(self.rng, found)
        return content[:first] + new + content[end:]


CHANGES = (
    _Damage.flip_bit,
    _Damage.cut,
    _Damage.insert,
    _Damage.drop_slice,
    _Damage.repeat_slice,
    _Damage.lend_slice,
    *[_Damage.replace_token] * 4,
    *[_Damage.replace_number] * 3,
    *[_Damage.swap_tokens] * 2,
    _Damage.drop_line,
    _Damage.swap_lines,
    _Damage.repeat_line,
    *[_Damage.lend_line] * 2,
)
"""All kinds of change; those that leave a file readable are tried most, since they get furthest."""


def _one(rng: np.random.Generator, items: Sequence[T]) -> T:
    return items[int(rng.integers(len(items)))]
