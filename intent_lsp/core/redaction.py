"""Foreign words made harmless before they are kept: without secrets, and nothing but words.

Invariant: a secret is looked for in what the eye sees, and before anything is cut off.
Invariant: what `neutral` gives is one line in which neither Markdown nor HTML nor an agent's
import syntax finds anything of its own, wherever in a paragraph it stands.
"""

import re
from typing import Final

from intent_lsp.core.secret_shapes import secrets_in
from intent_lsp.core.unseen import SURROGATES, seen

SHOWN_AT_MOST: Final = 120
"""Characters of an error that are kept (requirements section 9)."""

_REDACTED: Final = "[redacted]"
_READ_AT_MOST: Final = 16_384
_CUT: Final = "…"

_LOOK_ALIKES = str.maketrans(
    {
        **dict.fromkeys('"“”„‟«»\N{FULLWIDTH QUOTATION MARK}', "'"),
        "`": "'",
        "<": "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}",
        ">": "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}",
        "@": "(at)",
        "[": "(",
        "]": ")",
        "*": "\N{ASTERISK OPERATOR}",
        "|": "\N{BROKEN BAR}",
        "\\": "/",
    }
)
# What begins a heading, a list, a rule, a definition or a command where a line begins.
_LEADING = str.maketrans(
    {
        "#": "\N{MUSIC SHARP SIGN}",
        "-": "\N{EN DASH}",
        "+": "\N{FULLWIDTH PLUS SIGN}",
        "=": "\N{FULLWIDTH EQUALS SIGN}",
        "!": "\N{LATIN LETTER RETROFLEX CLICK}",
        ":": "\N{RATIO}",
    }
)
_NUMBERED = re.compile(r"\A([0-9]{1,9})[.)](?=\s|\Z)")
_LINK = re.compile(
    r"[A-Za-z0-9+.-]{0,30}://\S*"
    r"|(?i:www\.\S+|\b(?:mailto|xmpp|javascript|vbscript|data|file):(?=\S)[^\s,;)]*)"
)
_ENTITY = re.compile(r"&(?=#?[A-Za-z0-9]{1,40};)")
# Between letters an underscore is one; elsewhere it could begin or end an emphasis.
_EMPHASIS = re.compile(r"(?<!\w)_++|(?<!_)_++(?![^\W_])|~")
_MARKS = re.compile(r"\(redacted\)(?:\s?\(redacted\))*(?=([(:])?)")
_SURROGATE = re.compile(f"[{SURROGATES}]")


def redacted(text: str) -> str:
    """Replace the known shapes of secrets by `[redacted]`.

    A text without one is given back as it is; from one with a secret the invisible characters go
    too, since a secret may be hidden between them.
    """
    plain = seen(text)
    pieces: list[str] = []
    done = 0
    for start, end in sorted(secrets_in(plain)):
        if start > done or not pieces:
            pieces += (plain[done:start], _REDACTED)
        done = max(done, end)
    return "".join((*pieces, plain[done:])) if pieces else text


def neutral(text: str, limit: int = SHOWN_AT_MOST) -> str:
    """Give `text` as words of one line, at most `limit` characters; a longer one ends in `…`.

    Without secrets, links and invisible characters; the characters that mean something to
    Markdown, to HTML or to an agent become look-alikes, white space becomes single spaces.
    """
    words = _line(text).translate(_LOOK_ALIKES)
    words = _ENTITY.sub("& ", _LINK.sub("(link)", words))
    words = _NUMBERED.sub(r"\1", words[:1].translate(_LEADING) + words[1:])
    words = _EMPHASIS.sub(lambda found: "".join(f"\\{mark}" for mark in found.group()), words)
    words = _MARKS.sub(lambda found: _REDACTED + (" " if found[1] else ""), words)
    shown = _cut(words.strip(), limit)
    # Neither half a mark nor half an escape: what follows could give it a meaning.
    return shown if len(shown) == len(words) else re.sub(r" ?(?:\[[a-z]*|\\)…\Z", _CUT, shown)


def error_text(text: str) -> str:
    """Give what stands in a record's `error`: one line, redacted, 120 characters (ledger 1)."""
    return _cut(_line(text), SHOWN_AT_MOST)


def _line(text: str) -> str:
    """Give the seen words of a text, redacted, with single spaces."""
    head = text[:_READ_AT_MOST]
    if len(head) < len(text):
        # The last word may be half a secret, which nothing would know for one.
        head = (head.rsplit(None, 1) or [""])[0] + _CUT
    return _SURROGATE.sub("\ufffd", " ".join(seen(redacted(head)).split()))


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return text[: limit - 1].rstrip() + _CUT if limit > 0 else ""
