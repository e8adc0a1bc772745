"""One-time tokens that prove a person's click on a grant (protocol section 2, `grantToken`).

Invariant: a token is valid once, for its own grant, for at most ten minutes, on one connection.
"""

import secrets
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from msgspec import Struct, field

GOOD_FOR: Final = timedelta(minutes=10)
_KEPT_AT_MOST: Final = 1000


class _Given(Struct, frozen=True):
    """The grant that a token stands for: `patterns` for an intent, for the time `ttl`.

    If `ttl` is None, the grant is for good. `until` is the time at which the token expires.
    """

    intent_id: str
    patterns: tuple[str, ...]
    ttl: timedelta | None
    until: datetime


class GrantTokens(Struct):
    """The one-time tokens of one connection. `clock` returns the current time."""

    clock: Callable[[], datetime]
    _given: dict[str, _Given] = field(default_factory=dict)

    def give(self, intent_id: str, patterns: tuple[str, ...], ttl: timedelta | None) -> str:
        """Return a new token for exactly this grant of `patterns` to an intent.

        `ttl` is how long the grant lasts, None for good. Only the newest 1000 tokens stay valid.
        """
        token = secrets.token_urlsafe(24)
        self._given[token] = _Given(intent_id, patterns, ttl, self.clock() + GOOD_FOR)
        while len(self._given) > _KEPT_AT_MOST:
            del self._given[next(iter(self._given))]
        return token

    def take(
        self, token: str, intent_id: str, patterns: tuple[str, ...], ttl: timedelta | None
    ) -> bool:
        """Use up a token. Return whether it was valid, and given for exactly this grant.

        It is used up even if it was given for another one. `ttl` is how long the grant lasts, None
        for good.
        """
        given = self._given.pop(token, None)
        if given is None or self.clock() > given.until:
            return False
        return (given.intent_id, given.patterns, given.ttl) == (intent_id, patterns, ttl)
