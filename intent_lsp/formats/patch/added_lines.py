"""The runs of lines that a patch adds to each file: an `apply_patch` envelope or a unified diff.

Invariant: nothing is applied. The old text is not needed.
"""

import re
from collections.abc import Mapping
from typing import Final

_ENVELOPE: Final = re.compile(r"\*\*\* (?:Add File|Update File|Move to): (.+)")
_UNIFIED: Final = re.compile(r"\+\+\+ (?:[a-z]/)?([^\t]+)")


def added_runs(patch: str) -> Mapping[str, tuple[str, ...]]:
    """Return the runs of added lines in a patch by file name, in order.

    Each run is one text with line feeds between its lines. A moved file has its new name. Names in
    a unified diff are without their prefix, such as `b/`; lines before the first name are under "".
    """
    found: dict[str, list[str]] = {}
    run: list[str] = []
    name, previous = "", ""
    for line in [*patch.replace("\r\n", "\n").split("\n"), ""]:
        named = _ENVELOPE.fullmatch(line.rstrip())
        if named is None and previous.startswith("--- "):
            named = _UNIFIED.fullmatch(line.rstrip())
        if named is None and line.startswith("+"):
            run.append(line[1:])
        elif run:
            found.setdefault(name, []).append("\n".join(run))
            run = []
        name = name if named is None else named[1]
        previous = line
    return {file: tuple(runs) for file, runs in found.items()}
