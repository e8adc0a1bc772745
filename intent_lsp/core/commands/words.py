"""The words of a command after the shell has removed their quotes.

Invariant: a word without `unknown` reaches the program exactly as `text`.
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a command. Known parts are as the program sees them, unknown parts as typed.

    `unknown` is a sentence that says why the shell may change the word; empty if it cannot.
    `literal`: the shell expands nothing in it, not even a brace or a tilde. `pattern` is set if the
    word is unknown only because it is a glob: the same glob with its literal special characters in
    brackets.
    """

    text: str
    unknown: str = ""
    literal: bool = True
    pattern: str = ""

    def after(self, count: int) -> "Word":
        """Return the word without its first `count` characters."""
        return Word(self.text[count:], self.unknown, self.literal)

    def is_one_of(self, names: frozenset[str]) -> bool:
        """Whether the word is known and is one of `names`."""
        return not self.unknown and self.text in names


def joined(words: Iterable[Word]) -> Word:
    """Join words with spaces. If one is unknown, so is the result."""
    parts = tuple(words)
    unknown = next((part.unknown for part in parts if part.unknown), "")
    return Word(" ".join(part.text for part in parts), unknown)


def filled(word: Word, token: str, program: str) -> Word:
    """Return the word, made unknown if it contains `token`, which `program` replaces."""
    if not token or token not in word.text:
        return word
    return Word(
        word.text,
        f"`{program}` replaces `{word.text}`, so the file is not known",
        literal=False,
    )
