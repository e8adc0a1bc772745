"""Placeholders for what differs from run to run: paths, ids and times of recorded payloads."""

import json
import re
from collections.abc import Mapping
from typing import Any

_IDS = (
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "uuid"),
    (r"\b[0-9a-f]{40}\b|\ba[0-9a-f]{16}\b|(?<=call_\d-)[0-9a-f]{6,}", "hex"),
    (
        r"\b(?:ses|msg|prt|evt|conv|agent|sub|toolu)_(?=[a-z]*\d)[0-9A-Za-z]{6,}(?:_[0-9A-Za-z]+)?",
        "id",
    ),
    (r"\b1[789]\d{11}_[0-9a-z]{4,}\b", "root"),
)
_TIMES = (
    (r"session-\d{4}-\d\d-\d\dT\d\d-\d\d-[0-9a-f]{8}", "session-1"),
    (r"\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d(?:\.\d+)?Z?", "2026-01-01T00:00:00Z"),
    (r"\b1[789]\d{11}\b", "1767225600000"),
    (r"/\d{4}/\d\d/\d\d/", "/2026/01/01/"),
    (r'("(?:duration_?ms|durationMs|executionTimeMs|content_length|elapsed_ms)": )\d+', r"\g<1>1"),
    (r"(Wall time: |PGID: |pgid=)[\d.]+", r"\g<1>0"),
    (r'("slug": )"[a-z-]+"', r'\g<1>"a-slug"'),
)


class Placeholders:
    """Replaces the same text by the same placeholder, through one run after another.

    `paths` maps real directories to the names that stand for them, the longest first.
    """

    def __init__(self, paths: Mapping[str, str]) -> None:
        slugs = {re.sub(r"\W", "-", old): re.sub(r"\W", "-", new) for old, new in paths.items()}
        self._paths = {**paths, **slugs}
        self._given: dict[str, str] = {}

    def apply(self, value: Any) -> Any:
        """Return a JSON value with placeholders."""
        text = json.dumps(value, ensure_ascii=False)
        for old, new in self._paths.items():
            text = text.replace(old, new)
        for pattern, kind in _IDS:
            text = re.sub(pattern, lambda found, kind=kind: self._id(found[0], kind), text)
        for pattern, new in _TIMES:
            text = re.sub(pattern, new, text)
        return json.loads(text)

    def _id(self, found: str, kind: str) -> str:
        if found not in self._given:
            number = 1 + sum(given.startswith(f"{kind}-") for given in self._given.values())
            self._given[found] = f"{kind}-{number}"
        return self._given[found]
