"""The shapes that secrets are known by, and where they stand in a text.

Invariant: no secret hides another, however they are written together.
Invariant: the time is linear: in a pattern, what may be long is followed by nothing that can fail,
and what can fail is bounded.
"""

import re
from collections.abc import Iterator

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


def secrets_in(text: str) -> Iterator[tuple[int, int]]:
    """Give start and end of each secret, in no order; they may overlap."""
    for shape in _SHAPES:
        start = 0
        while found := shape.search(text, start):
            yield found.span("secret")
            # The end of one secret may be the name of the next: `password=xtoken: y`.
            start = max(found.start() + 1, found.end() - _LONGEST_NAME)
