"""Fingerprints of findings: the same while lines move or commits are rebased.

Invariant: two findings of one report have different fingerprints.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable

from msgspec import Struct, field


class Fingerprints(Struct):
    """Makes the fingerprints of one report's findings, in order."""

    made: Counter[str] = field(default_factory=Counter)

    def of(self, code: str, path: str | None, changed: Iterable[str]) -> str:
        """Return the fingerprint of a finding: 32 hexadecimal digits.

        `changed` are the lines that the finding is about. Several findings of the report with equal
        arguments get different fingerprints, since they are numbered in the order of the calls.
        """
        told = hashlib.sha256()
        for part in (code, path or "", *changed):
            told.update(part.encode("utf-8", "surrogatepass"))
            told.update(b"\0")
        key = told.hexdigest()
        self.made[key] += 1
        number = self.made[key]
        return hashlib.sha256(f"{key} {number}".encode()).hexdigest()[:32]
