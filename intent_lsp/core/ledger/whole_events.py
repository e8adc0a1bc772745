"""Events whose texts can be encoded as UTF-8, so that no text makes a record unwritable."""

import re
from typing import Final

from msgspec import Struct, json
from msgspec.structs import replace

from intent_lsp.core.records import Event
from intent_lsp.core.text import REPLACEMENT, whole

_NAMES: Final = ("relative_path", "previous_path")
"""The fields with the name of a file."""

# Surrogates outside U+DC80 to U+DCFF. Those inside stand for bytes of a file's name.
_IN_NO_NAME: Final = re.compile("[\\ud800-\\udc7f\\udd00-\\udfff]")


def whole_event(event: Event) -> Event:
    """Return the event with the surrogates in its texts replaced by U+FFFD.

    In file names, surrogates that stand for bytes stay: `core.records.spelled` converts them.
    """
    try:
        json.encode(event)
    except UnicodeEncodeError:
        return replace(event, **_whole_fields(event))
    return event


def _whole_fields(value: Struct) -> dict[str, object]:
    """Return the fields of an event or of a part of it by name, each without surrogates."""
    return {name: _whole(getattr(value, name), name) for name in value.__struct_fields__}


def _whole(value: object, name: str) -> object:
    """Return a value, which a field `name` has or which is in it, without surrogates."""
    if isinstance(value, str):
        return _IN_NO_NAME.sub(REPLACEMENT, value) if name in _NAMES else whole(value)
    if isinstance(value, tuple):
        return tuple([_whole(each, name) for each in value])
    return replace(value, **_whole_fields(value)) if isinstance(value, Struct) else value
