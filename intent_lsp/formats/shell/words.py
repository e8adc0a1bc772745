"""The words of a shell command without their quotes, as bash removes them.

Invariant: a word that the shell may change in a way that the text does not show is marked unknown.
A home directory (`~`, `~name`) is not marked, and stays as typed. `<(…)` becomes `/dev/fd/`.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from tree_sitter import Node

from intent_lsp.core.commands.arguments import Word
from intent_lsp.formats.shell.syntax import spelling, typed

MAX_ALTERNATIVES: Final = 64
"""The most words that one word with braces may expand to. If there are more, it is unknown."""

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_ESCAPES |= {"e": "\x1b", "E": "\x1b", "\\": "\\", "'": "'", '"': '"', "?": "?"}
_LITERAL: Final = frozenset({"word", "number", "test_operator", "variable_name", "special_word"})
_KNOWN_TO_SHELL: Final = "gets its value only when the command runs"
_FILLED_IN: Final = frozenset("*?[")
_SUBSTITUTED: Final = "/dev/fd/"
"""What stands for a process substitution, in place of the path that the shell passes."""
_EXPANDED: Final = frozenset({*"*?[]{}", _SUBSTITUTED})
"""What a shell may expand, or has expanded, where it is not quoted."""
_RANGE: Final = re.compile(r"\{[^{}]+\.\.[^{}]+\}")
"""Braces that a shell expands to a range of words, such as `{a..c}`."""
_BEFORE_A_HOME: Final = frozenset(":=")
"""Characters after which a tilde may be a home directory, as it is at a word's start.

In `HEAD~1` it is not.
"""
_DIRECTORY_STACK: Final = frozenset("+-0123456789")
"""Characters after a tilde that stand for a directory of the shell, such as `~+` for its own."""


class _Letter(NamedTuple):
    """One character of a word, or one whole expansion such as `$HOME`, as typed.

    `unknown` says why its value is unknown, or is "" if the value is known.
    """

    text: str
    quoted: bool
    unknown: str = ""


def words_of(nodes: Sequence[Node]) -> tuple[Word, ...]:
    """Return the words in the syntax nodes of a command. Nodes with no gap between are one word.

    A word with braces and commas gives each word to which it expands, or one unknown word if these
    are too many. One with a range, such as `{a..c}`, is one unknown word.
    """
    groups: list[list[Node]] = []
    for node in nodes:
        if groups and groups[-1][-1].end_byte == node.start_byte:
            groups[-1].append(node)
        else:
            groups.append([node])
    return tuple(word for group in groups for word in _words(group))


def _words(group: Sequence[Node]) -> Iterator[Word]:
    letters = [letter for node in _without_dollar(group) for letter in _letters(node)]
    alternatives, text = _alternatives(letters), "".join(letter.text for letter in letters)
    if _RANGE.search("".join("" if letter.quoted else letter.text for letter in letters)):
        yield Word(text, f"`{text}` {_KNOWN_TO_SHELL}", literal=False)
        return
    if alternatives is None:
        yield Word(text, f"`{text}` expands to too many words", literal=False)
        return
    yield from (_word(each) for each in alternatives)


def _without_dollar(group: Sequence[Node]) -> Iterator[Node]:
    """Yield the nodes of a word without the `$` that stands before a translated string (`$"…"`)."""
    for at, node in enumerate(group):
        if node.type != "$" or not any(after.type == "string" for after in group[at + 1 : at + 2]):
            yield node


def _word(letters: Sequence[_Letter]) -> Word:
    text = "".join(letter.text for letter in letters)
    unknown = next((letter.unknown for letter in letters if letter.unknown), "")
    bare = {letter.text for letter in letters if not letter.quoted}
    pattern = ""
    if not unknown and _names_stack(letters):
        unknown = f"`{text}` {_KNOWN_TO_SHELL}"
    if not unknown and not bare.isdisjoint(_FILLED_IN):
        unknown = f"`{text}` is a pattern that the shell expands"
        pattern = _pattern(letters)
    # A quoted tilde is a file name, not the home directory.
    if text.startswith("~") and letters[0].quoted:
        text = f"./{text}"
    literal = not unknown and bare.isdisjoint(_EXPANDED) and next(_tildes(letters), None) is None
    return Word(text, unknown, literal=literal, pattern=pattern)


def _tildes(letters: Sequence[_Letter]) -> Iterator[int]:
    """Yield the index of each tilde that the shell may replace by a directory."""
    signs = ["=", *(letter.text for letter in letters)]
    for at, letter in enumerate(letters):
        if letter.text == "~" and not letter.quoted and signs[at] in _BEFORE_A_HOME:
            yield at


def _names_stack(letters: Sequence[_Letter]) -> bool:
    """Return whether a tilde in a word may stand for a directory that only the shell knows."""
    return any(
        not letter.quoted and letter.text in _DIRECTORY_STACK
        for at in _tildes(letters)
        for letter in letters[at + 1 : at + 2]
    )


def _pattern(letters: Sequence[_Letter]) -> str:
    """Return a word as a glob: quoted `*`, `?` and `[` in brackets, and `[!` in place of `[^`."""
    signs: list[str] = []
    for letter in letters:
        if letter.quoted and letter.text in _FILLED_IN:
            signs.append(f"[{letter.text}]")
        elif letter.text == "^" and signs[-1:] == ["["]:
            signs.append("!")
        else:
            signs.append(letter.text)
    return "".join(signs)


def _letters(node: Node) -> Iterator[_Letter]:
    text = spelling(node)
    if node.type in _LITERAL and not node.children:
        yield from _bare(text)
    elif node.type == "raw_string":
        yield from (_Letter(sign, quoted=True) for sign in text[1:-1])
    elif node.type == "ansi_c_string":
        yield from _ansi(text[2:-1])
    elif node.type in {"string", "translated_string"}:
        yield from _string(node)
    elif node.type in {"concatenation", "command_name"}:
        for child in _without_dollar(node.children):
            yield from _letters(child)
    else:
        yield from _bare(text) if not node.is_named else (_expansion(node, quoted=False),)


def _expansion(node: Node, *, quoted: bool) -> _Letter:
    text = spelling(node)
    if node.type == "process_substitution":
        return _Letter(_SUBSTITUTED, quoted=False)
    return _Letter(text, quoted, f"`{text}` {_KNOWN_TO_SHELL}")


def _signs(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each character of a text, and whether a backslash before it was left out.

    A backslash at the end of the text gives ("", True).
    """
    signs = iter(text)
    for sign in signs:
        yield (sign, False) if sign != "\\" else (next(signs, ""), True)


def _bare(text: str) -> Iterator[_Letter]:
    for sign, escaped in _signs(text):
        if sign != "\n" or not escaped:
            yield _Letter(sign or "\\", quoted=escaped)


def _string(node: Node) -> Iterator[_Letter]:
    # What the grammar gives no node to (blanks at the ends) still is part of the string.
    source = typed(node)
    at = source.index(b'"') + 1 if b'"' in source else 0
    for child in node.children:
        if child.type in {'"', "string_content", "$", '$"'}:
            continue
        start, end = child.start_byte - node.start_byte, child.end_byte - node.start_byte
        yield from _double_quoted(source[at:start])
        yield _expansion(child, quoted=True)
        at = end
    yield from _double_quoted(source[at:-1])


def _double_quoted(source: bytes) -> Iterator[_Letter]:
    for sign, escaped in _signs(source.decode("utf-8", "surrogateescape")):
        if not escaped or sign in {"$", "`", '"', "\\"}:
            yield _Letter(sign, quoted=True)
        elif sign != "\n":
            yield from (_Letter(each, quoted=True) for each in f"\\{sign}")


def _ansi(text: str) -> Iterator[_Letter]:
    for sign, escaped in _signs(text):
        if not escaped or sign in _ESCAPES:
            yield _Letter(_ESCAPES[sign] if escaped else sign, quoted=True)
        else:
            unknown = f"`{text}` has escapes that are not parsed"
            yield _Letter(f"\\{sign}", quoted=True, unknown=unknown)


def _alternatives(letters: Sequence[_Letter]) -> list[list[_Letter]] | None:
    """Return the words to which the braces with commas in a word expand, such as `{a,b}`.

    Return None if there are more than MAX_ALTERNATIVES.
    """
    done: list[list[_Letter]] = []
    waiting: list[list[_Letter]] = [list(letters)]
    while waiting:
        word = waiting.pop()
        parts = _first_braces(word)
        if parts is None:
            done.append(word)
        else:
            waiting += reversed(parts)
        if len(done) + len(waiting) > MAX_ALTERNATIVES:
            return None
    return done


def _first_braces(word: list[_Letter]) -> list[list[_Letter]] | None:
    """Return the words to which the first braces with a comma expand, or None if there are none."""
    opened: list[list[int]] = []
    for at, letter in enumerate(word):
        if letter.quoted:
            continue
        if letter.text == "{":
            opened.append([at])
        elif letter.text == "," and opened:
            opened[-1].append(at)
        elif letter.text == "}" and opened:
            marks = opened.pop()
            if len(marks) > 1:
                return [
                    [*word[: marks[0]], *word[start + 1 : end], *word[at + 1 :]]
                    for start, end in pairwise([*marks, at])
                ]
    return None
