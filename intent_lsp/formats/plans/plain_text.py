"""Sentences and names of a plan as plain text: without bold marks, links and placeholders.

Invariant: a sentence or a name is on one line.
"""

import re
from collections.abc import Iterable
from typing import Final

from intent_lsp.core.text import on_one_line, whole
from intent_lsp.formats.plans.proposed_intent import MAX_SENTENCE, MAX_SENTENCES

_STRONG: Final = re.compile(
    r"(?<![\w*])\*\*(?=\S)([^*\n]+)(?<=\S)\*\*(?![\w*])|\b__(?=\S)([^_\n]+)__\b"
)
_LINK: Final = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_TAG: Final = re.compile(
    r"<(?:/?(?:br|div|p|li|ul|ol|span|b|i|em|strong|code|a)\b[^<>]*)>", re.IGNORECASE
)
_PLACEHOLDER: Final = re.compile(
    r"\[[^\[\]]*\]|<[^<>]*>|n/?a|tbd|todo|none|needs clarification", re.IGNORECASE
)
_WORD_BREAKS: Final = re.compile(r"[-_\s]+")
_NO_WORD: Final = re.compile(r"[^\w]+")
_SLUG_AT_MOST: Final = 60


def plain(text: str) -> str:
    """Return a text on one line, of MAX_SENTENCE characters at most.

    Marks of bold words are removed; of `[words](target)` and of images, only the words stay. Code
    spans keep their backticks. A lone surrogate, which no file can hold, becomes U+FFFD.
    """
    bare = _LINK.sub(r"\1", _STRONG.sub(lambda found: found[1] or found[2], text))
    return on_one_line(" ".join(on_one_line(whole(bare), len(bare) + 1).split()), MAX_SENTENCE)


def without_tags(text: str) -> str:
    """Return a text without the tags of HTML that exports write.

    Tags that end a line become line ends. Other text between `<` and `>` stays.
    """
    ended = re.sub(r"<(?:br\s*/?|/(?:div|p|li))>", "\n", text, flags=re.IGNORECASE)
    return _TAG.sub("", ended)


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
    """Return the words of a text in small letters with single blanks, without signs and emoji."""
    return _NO_WORD.sub(" ", text.replace("_", " ")).strip().casefold()


def slug(text: str) -> str:
    """Return a text as one word in small letters, such as `limit-the-attempts`; "" of signs alone.

    It has at most 60 characters.
    """
    bare = _NO_WORD.sub("-", plain(text).lower()).strip("-_")
    cut = bare[:_SLUG_AT_MOST]
    return bare if bare == cut else cut.rpartition("-")[0] or cut
