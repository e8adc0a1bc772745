"""The words of a command once the shell has taken their quotes off.

Invariant: a word without `unknown` reaches the program exactly as `text`.
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Word:
    """One word: what is known stands as its program sees it, what is not as it was typed.

    `unknown` is a sentence that says why the shell may make something else of it; empty: it cannot.
    `literal`: the shell expands nothing in it, not even a brace or a tilde. `pattern`: it is
    unknown only as a glob is, which this spells with its literal signs in brackets.
    """

    text: str
    unknown: str = ""
    literal: bool = True
    pattern: str = ""

    def after(self, count: int) -> "Word":
        """Return the word without its first characters."""
        return Word(self.text[count:], self.unknown, self.literal)

    def is_one_of(self, names: frozenset[str]) -> bool:
        """Whether it is known to be one of some names."""
        return not self.unknown and self.text in names


def joined(words: Iterable[Word]) -> Word:
    """Join words with blanks between; one that is not known makes the whole unknown."""
    parts = tuple(words)
    unknown = next((part.unknown for part in parts if part.unknown), "")
    return Word(" ".join(part.text for part in parts), unknown)


def filled(word: Word, token: str, program: str) -> Word:
    """Make a word unknown that holds what a program replaces before it runs another."""
    if not token or token not in word.text:
        return word
    return Word(word.text, f"`{word.text}` is filled in by `{program}`", literal=False)
