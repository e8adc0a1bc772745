"""The texts of a plan: its documents as Markdown, its sentences and names as plain text.

Plain text has no marks of bold words and no links.

Invariant: a sentence or a name is on one line.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct

from intent_lsp.core.text import on_one_line, whole
from intent_lsp.formats.plans.markdown_blocks import MarkdownText, markdown_text
from intent_lsp.formats.plans.proposed_intent import MAX_SENTENCE, MAX_SENTENCES, PlanProblem

_STRONG: Final = re.compile(
    r"(?<![\w*])\*\*(?=\S)([^*\n]+)(?<=\S)\*\*(?![\w*])|\b__(?=\S)([^_\n]+)__\b"
)
_LINK: Final = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_PLACEHOLDER: Final = re.compile(
    r"\[[^\[\]]*\]|<[^<>]*>|n/?a|tbd|todo|none|needs clarification", re.IGNORECASE
)
_WORD_BREAKS: Final = re.compile(r"[-_\s]+")
_NO_WORD: Final = re.compile(r"[^\w]+")
_SLUG_AT_MOST: Final = 60


class PlanTexts(Struct, frozen=True):
    """The documents of one plan, by their names. `directory` is the path of the plan."""

    directory: str
    by_name: Mapping[str, MarkdownText]

    def get(self, name: str) -> MarkdownText:
        """Return a document. One that is not there has no blocks."""
        return self.by_name.get(name, MarkdownText(()))

    def path_of(self, name: str) -> str | None:
        """Return the path of a document, or None if it is not there."""
        return f"{self.directory}/{name}" if name in self.by_name else None

    @property
    def problems(self) -> tuple[PlanProblem, ...]:
        """The problems of all the documents."""
        return tuple(problem for text in self.by_name.values() for problem in text.problems)


def plan_texts(directory: str, documents: Mapping[str, str]) -> PlanTexts:
    """Return the documents of the plan in a directory, from their texts by name."""
    read = {name: markdown_text(f"{directory}/{name}", text) for name, text in documents.items()}
    return PlanTexts(directory, read)


def name_of_plan(
    text: MarkdownText,
    directory: str,
    prefix: re.Pattern[str],
    generic: re.Pattern[str] | None = None,
) -> str:
    """Return the title of a document, without the `prefix` with which its template begins it.

    Return the words of `directory`, the last segment of the plan's path, if the document has no
    heading of level 1, if its title is a placeholder, or if `generic` matches the whole title.
    """
    title = text.title()
    told = "" if title is None or title.depth > 1 else title.text
    found = prefix.match(told)
    told = told if found is None else told[found.end() :]
    untitled = placeholder(told) or (generic is not None and generic.fullmatch(told.strip()))
    return name_of_directory(directory) if untitled else plain(told)


def plain(text: str) -> str:
    """Return a text on one line, of MAX_SENTENCE characters at most.

    Marks of bold words are removed; of `[words](target)` and of images, only the words stay. Code
    spans keep their backticks. A lone surrogate, which no file can hold, becomes U+FFFD.
    """
    bare = _LINK.sub(r"\1", _STRONG.sub(lambda found: found[1] or found[2], text))
    return on_one_line(" ".join(on_one_line(whole(bare), len(bare) + 1).split()), MAX_SENTENCE)


def placeholder(text: str) -> bool:
    """Return whether a text is empty or a placeholder, such as `[FEATURE NAME]` or `TBD`."""
    bare = plain(text).strip(".")
    return not bare or _PLACEHOLDER.fullmatch(bare) is not None


def sentences(texts: Iterable[str]) -> tuple[str, ...]:
    """Return texts as plain sentences, each once, without placeholders; MAX_SENTENCES at most.

    If there are more, the last one of the result says how many are left out.
    """
    found = tuple(dict.fromkeys(plain(each) for each in texts if not placeholder(each)))
    if len(found) <= MAX_SENTENCES:
        return found
    kept = found[: MAX_SENTENCES - 1]
    return (*kept, f"And {len(found) - len(kept)} more, which the plan lists")


def name_of_directory(name: str) -> str:
    """Return the words of a directory's name, such as "Add dark mode" for `add-dark-mode`."""
    words = _WORD_BREAKS.sub(" ", name).strip()
    return plain(words[:1].upper() + words[1:]) or name


def small_words(text: str) -> str:
    """Return the words of a text in lower case, with single blanks and no punctuation or emoji."""
    return _NO_WORD.sub(" ", text.replace("_", " ")).strip().casefold()


def slug(text: str) -> str:
    """Return a text in lower case with hyphens between its words, such as `limit-the-attempts`.

    The result has at most 60 characters. It is "" if the text has no letters and no digits.
    """
    bare = _NO_WORD.sub("-", plain(text).lower()).strip("-_")
    cut = bare[:_SLUG_AT_MOST]
    return bare if bare == cut else cut.rpartition("-")[0] or cut
