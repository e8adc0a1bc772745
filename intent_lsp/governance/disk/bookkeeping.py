"""What we write into the intents file of ourselves, told from a change of its rules.

Specified in requirements section 3.

Invariant: what cannot be read is a change of the rules.
"""

from dataclasses import replace
from typing import Final

from intent_lsp.core.content import decode
from intent_lsp.core.intents import Intent, Status
from intent_lsp.formats.intents.intents_file import read_intents

_ANY_STATUS: Final = Status.PLANNED


def only_bookkeeping(before: bytes, after: bytes) -> bool:
    """Whether two contents of the intents file give every intent the same rules.

    They may differ in `status`, `recent_history` and `updated_at`, which we write at any time.
    """
    rules = _rules(before)
    return rules is not None and rules == _rules(after)


def _rules(data: bytes) -> tuple[Intent, ...] | None:
    text = decode(data)
    read = None if text is None else read_intents(text.text)
    if read is None or not read.parsed:
        return None
    return tuple(
        replace(intent, status=_ANY_STATUS, recent_history=(), updated_at=None)
        for intent in read.intents
    )
