"""Redaction of untrusted text: removes secrets, and markup for Markdown, HTML or agents.

Invariant: secrets are searched for in the text without its invisible characters, before the text is
cut to its limit.
Invariant: `neutral` returns one line in which Markdown, HTML and an agent's imports (`@file`) find
no markup, wherever in a paragraph the line stands.
Invariant: no secret hides another, however they are joined.
Invariant: the time is linear. In a pattern, a part that can match without a limit is followed only
by parts that always match.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from intent_lsp.core.text import seen, whole

SHOWN_AT_MOST: Final = 120
"""The most characters of an error message that are kept (requirements section 9)."""

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


# Characters that at the start of a line begin a heading, a list, a rule, a definition or a command.
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


# An underscore between letters is literal in Markdown. Elsewhere it could begin or end emphasis.
_EMPHASIS = re.compile(r"(?<!\w)_++|(?<!_)_++(?![^\W_])|~")
_MARKS = re.compile(r"\(redacted\)(?:\s?\(redacted\))*(?=([(:])?)")
_NAMES = (
    r"pass(?:word|wd|phrase)|pwd|pword|secret|credential|token"
    r"|(?:api|access|account|auth|client|encryption|private|session|shared|signing)[_ -]?key"
    r"|authorization|bearer"
)


# A quoted value may hold white space. Without a closing quote it goes to the end of the text.
_VALUE = r"""(?:\\*"(?:[^"\\]++|\\[\s\S])*+"?|\\*'(?:[^'\\]++|\\[\s\S])*+'?|[^\s"']\S*)"""
_SCHEME = r"(?:(?:basic|bearer|digest|negotiate|token)\s{1,8})?"


# Known prefixes of tokens, each with the least number of characters that must follow.
_TOKENS = (
    r"(?:A3T[A-Z0-9]|ABIA|ACCA|AGPA|AIDA|AIPA|AKIA|ANPA|ANVA|AROA|ASIA)[A-Z0-9]{12}",  # AWS
    r"gh[oprsu]_[A-Za-z0-9]{10}|github_pat_\w{10}",
    r"gl(?:agent|cbt|dt|ffct|ft|imt|oas|ptt|pat|rt|soat)-[\w-]{10}",  # GitLab
    r"xox[a-z](?:\.xox[a-z])?-[\w-]{8}|xapp-\d-[\w-]{8}|hooks\.slack\.com/services/\w{6}",
    r"sk-(?:admin|ant|or|proj|svcacct)-[\w-]{8}|sk-[A-Za-z0-9]{16}",  # OpenAI, Anthropic
    r"AIza[\w-]{16}|ya29\.[\w-]{10}|GOCSPX-[\w-]{10}",  # Google
    r"[prs]k_(?:live|test)_[A-Za-z0-9]{8}|whsec_[A-Za-z0-9]{8}",  # Stripe
    r"npm_[A-Za-z0-9]{16}|pypi-[\w-]{16}|dckr_pat_[\w-]{10}|hf_[A-Za-z0-9]{16}",
    r"SG\.[\w-]{10}|do[opr]_v1_[a-f0-9]{10}|hv[bs]\.[\w-]{10}|dapi[a-f0-9]{16}",
    r"AGE-SECRET-KEY-1\w{10}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{10}|lin_api_\w{10}",
    r"eyJ[\w-]{8}",  # a JSON Web Token begins with `{"`
)
_LONGEST_NAME = 200


def redacted(text: str) -> str:
    """Return the text with everything that looks like a secret replaced by `[redacted]`.

    A text without secrets is returned unchanged. A text with a secret also loses the characters
    that `seen` removes, since one may hide a secret.
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
    """Return `text` as one line of at most `limit` characters. A line that was cut ends in `…`.

    Secrets become `[redacted]`, links `(link)`, and white space single spaces. Invisible characters
    are removed. What means something to Markdown, HTML or an agent is escaped or replaced by
    look-alikes.
    """
    words = _line(text).translate(_LOOK_ALIKES)
    words = _ENTITY.sub("& ", _LINK.sub("(link)", words))
    words = _NUMBERED.sub(r"\1", words[:1].translate(_LEADING) + words[1:])
    words = _EMPHASIS.sub(lambda found: "".join(f"\\{mark}" for mark in found.group()), words)
    words = _MARKS.sub(lambda found: _REDACTED + (" " if found[1] else ""), words)
    shown = _cut(words.strip(), limit)
    # The cut may leave half of `[redacted]` or of an escape. Remove it, since the text around the
    # line could complete it to markup.
    return shown if len(shown) == len(words) else re.sub(r" ?(?:\[[a-z]*|\\)…\Z", _CUT, shown)


def error_text(text: str) -> str:
    """Return a tool's error message for the field `error` of a record (ledger section 1).

    It becomes one line of at most 120 characters, with its secrets replaced.
    """
    return _cut(_line(text), SHOWN_AT_MOST)


def _line(text: str) -> str:
    """Return the text as one line, without secrets and invisible characters, with single spaces.

    Of a text of more than 16,384 characters, only the beginning is used.
    """
    head = text[:_READ_AT_MOST]
    if len(head) < len(text):
        # The last word may be the first half of a secret, which no pattern would find. Drop it.
        head = (head.rsplit(None, 1) or [""])[0] + _CUT
    return whole(" ".join(seen(redacted(head)).split()))


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return text[: limit - 1].rstrip() + _CUT if limit > 0 else ""


def secrets_in(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each part of `text` that looks like a secret, in no particular order.

    Parts may overlap.
    """
    for shape in _shapes():
        start = 0
        while found := shape.search(text, start):
            yield found.span("secret")
            # A secret may contain the name of the next one: `password=xtoken: y`. Search again
            # from far enough before its end to find that.
            start = max(found.start() + 1, found.end() - _LONGEST_NAME)


@cache
def _shapes() -> tuple[re.Pattern[str], ...]:
    # Compiled when they are first needed, since that takes long.
    return (
        re.compile(
            r"(?P<secret>-----BEGIN[^-\r\n]{0,40}PRIVATE KEY[^-\r\n]{0,20}-----"
            r"(?s:.*?)(?:-----END[^-\r\n]{0,60}-----|\Z))"
        ),
        # `user:password@`, `token@`. A password may contain `@`, and also `/` if it is not encoded.
        re.compile(r"://(?P<secret>[^\s/]{1,300})@"),
        re.compile(r"://(?P<secret>[^\s/:]{1,100}:[^\s@]{1,200})@"),
        re.compile(r"(?i)cookie2?\s{0,8}:\s{0,8}(?P<secret>[^\r\n]+)"),
        # `API_KEY=…`, `"password": "…"`, `Authorization: Bearer …`
        re.compile(
            rf"""(?i)(?:{_NAMES})[\w-]{{0,40}}[\\"'`]{{0,4}}\s{{0,64}}(?:=>|:=|==?|:)\s{{0,64}}"""
            rf"{_SCHEME}(?P<secret>{_VALUE})"
        ),
        # `--password …`
        re.compile(rf"(?i)--(?:[a-z0-9]{{1,20}}-){{0,3}}(?:{_NAMES})\s{{1,8}}(?P<secret>{_VALUE})"),
        # `Bearer …` and `token 3f29…`: without a separator, only a value that cannot be a word.
        re.compile(r"(?i)bearer\s{1,8}(?P<secret>[\w.~+/=-]{8}[\w.~+/=-]*)"),
        re.compile(
            rf"(?i)(?:{_NAMES})s?\s{{1,8}}(?:(?:is|was)\s{{1,8}})?[\"']?"
            r"(?P<secret>(?=[a-z+/=_-]{0,60}[0-9])[\w+/=-]{20}[\w.~+/=-]*)"
        ),
        # The rest of the word is redacted too, since it may belong to the secret.
        re.compile(rf"(?P<secret>(?:{'|'.join(_TOKENS)})[\w.~+/=-]*)"),
    )
