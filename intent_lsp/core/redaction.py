"""Foreign words made harmless before they are kept: without secrets, and nothing but words.

Invariant: a secret is looked for in what the eye sees, and before anything is cut off.
Invariant: what `neutral` gives is one line in which neither Markdown nor HTML nor an agent's
import syntax finds anything of its own, wherever in a paragraph it stands.
Invariant: no secret hides another, however they are written together.
Invariant: the time is linear: in a pattern, what may be long is followed by nothing that can fail,
and what can fail is bounded.
"""

import re
from collections.abc import Iterator
from typing import Final

from intent_lsp.core.text import seen, whole

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
_NAMES = (
    r"pass(?:word|wd|phrase)|pwd|pword|secret|credential|token"
    r"|(?:api|access|account|auth|client|encryption|private|session|shared|signing)[_ -]?key"
    r"|authorization|bearer"
)


# A value in quotes may hold white space; without its closing quote it is all that is left.
_VALUE = r"""(?:\\*"(?:[^"\\]++|\\[\s\S])*+"?|\\*'(?:[^'\\]++|\\[\s\S])*+'?|[^\s"']\S*)"""
_SCHEME = r"(?:(?:basic|bearer|digest|negotiate|token)\s{1,8})?"


# How a token begins, and the letters that at least have to follow.
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
_SHAPES = (
    re.compile(
        r"(?P<secret>-----BEGIN[^-\r\n]{0,40}PRIVATE KEY[^-\r\n]{0,20}-----"
        r"(?s:.*?)(?:-----END[^-\r\n]{0,60}-----|\Z))"
    ),
    # `user:password@` and `token@`; a password may hold `@`, and one that nobody encoded `/`.
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
    # `Bearer …`; `token 3f29…`: only what nobody would take for a word.
    re.compile(r"(?i)bearer\s{1,8}(?P<secret>[\w.~+/=-]{8}[\w.~+/=-]*)"),
    re.compile(
        rf"(?i)(?:{_NAMES})s?\s{{1,8}}(?:(?:is|was)\s{{1,8}})?[\"']?"
        r"(?P<secret>(?=[a-z+/=_-]{0,60}[0-9])[\w+/=-]{20}[\w.~+/=-]*)"
    ),
    # The rest of the word goes too: whatever else it holds was written to the secret.
    re.compile(rf"(?P<secret>(?:{'|'.join(_TOKENS)})[\w.~+/=-]*)"),
)
_LONGEST_NAME = 200


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
    return whole(" ".join(seen(redacted(head)).split()))


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return text[: limit - 1].rstrip() + _CUT if limit > 0 else ""


def secrets_in(text: str) -> Iterator[tuple[int, int]]:
    """Give start and end of each secret, in no order; they may overlap."""
    for shape in _SHAPES:
        start = 0
        while found := shape.search(text, start):
            yield found.span("secret")
            # The end of one secret may be the name of the next: `password=xtoken: y`.
            start = max(found.start() + 1, found.end() - _LONGEST_NAME)
