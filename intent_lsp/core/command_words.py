"""The words of a command once the shell has taken their quotes off.

Invariant: a word without `unknown` reaches the program exactly as `text`.
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Word:
    """One word: what is known stands as its program sees it, what is not as it was typed.

    `unknown` is a sentence that says why the shell may make something else of it; empty: it cannot.
    `splits`: it may become several words, or an option.
    """

    text: str
    unknown: str = ""
    splits: bool = False

    def after(self, count: int) -> "Word":
        """Give the word without its first characters."""
        return Word(self.text[count:], self.unknown)


def joined(words: Iterable[Word]) -> Word:
    """Join words with blanks between; one that is not known makes the whole unknown."""
    parts = tuple(words)
    unknown = next((part.unknown for part in parts if part.unknown), "")
    return Word(" ".join(part.text for part in parts), unknown)


def filled(word: Word, token: str, program: str) -> Word:
    """Make a word unknown that holds what a program replaces before it runs another."""
    if not token or token not in word.text:
        return word
    return Word(word.text, f"`{word.text}` is filled in by `{program}`")
