r"""The audit log's entries as Markdown, one for each governed tool call (ledger section 6).

Invariant: whatever the values hold, an entry is three lines, and each value in it can be parsed.
Characters that could end a value or act as markup are escaped: `\n`, `\r`, `\t`, `\x60`, `\u202e`,
…
Invariant: no value holds a secret of a known form.
"""

import re
from enum import StrEnum
from typing import Final

from msgspec import Struct

from intent_lsp.core.text import UNSEEN
from intent_lsp.formats.markdown.escape import ANYWHERE, in_code, spelled


class CallStatus(StrEnum):
    """The outcome of a tool call: DENIED by the gate, or executed with or without success."""

    DENIED = "DENIED"
    OK = "OK"
    FAILED = "FAILED"


class GovernanceEntry(Struct, frozen=True, kw_only=True):
    """An entry of the audit log: a tool call of an agent, and its outcome. `at` is in RFC 3339.

    `revision` is the commit that was checked out. Texts such as `tool` and `model` are as the
    caller sent them. `constraints` are the architectural constraints of the team policy at that
    time.
    """

    at: str
    status: CallStatus
    tool: str
    intent_id: str | None
    session_id: str
    model: str
    revision: str
    touched_paths: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()


_NO_INTENT: Final = "none"
_EMPTY_LIST: Final = "(none)"

# Outside of code spans, emphasis and bare links need escapes, too. An underscore between letters is
# no emphasis.
_IN_PROSE = re.compile(rf"{ANYWHERE}|[*~]|(?<!\w)_++|(?<!_)_++(?![^\W_])|(?i:(?<=www)\.)")
# The time comes first in the entry, where a character could start a heading or a list.
_IN_MOMENT = re.compile(rf"[^\w:.+-]|[_{UNSEEN}]|(?<![0-9])[:.+-]|\.\Z")


def governance_line(entry: GovernanceEntry) -> str:
    """Return the audit log's Markdown for a call: three lines, each with its line feed."""
    paths = ", ".join(f"`{in_code(path)}`" for path in entry.touched_paths if path)
    constraints = " | ".join(f'"{_prose(each)}"' for each in entry.constraints)
    return (
        f"- {spelled(entry.at, _IN_MOMENT)} | status={entry.status} | tool={_prose(entry.tool)}"
        f" | intent={_intent(entry.intent_id)} | task={_prose(entry.session_id)}"
        f" | model={_prose(entry.model)} | rev={_prose(entry.revision)}\n"
        f"  touched_paths={paths or _EMPTY_LIST}\n"
        f"  sidecar_constraints={constraints or _EMPTY_LIST}\n"
    )


def _intent(intent_id: str | None) -> str:
    if intent_id is None:
        return _NO_INTENT
    # Escape an intent whose id is the text for no intent.
    return rf"\x6e{intent_id[1:]}" if intent_id == _NO_INTENT else _prose(intent_id)


def _prose(text: str) -> str:
    return spelled(text, _IN_PROSE)
