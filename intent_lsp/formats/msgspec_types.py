"""Registers classes with msgspec while modules are imported.

Invariant: every class that a thread decodes into is registered before a second thread exists.
msgspec (0.22) fills in its information about a class where other threads can already see it, and a
thread that uses it too early crashes the process.
"""

import msgspec


def register_msgspec_types(*shapes: type) -> tuple[type, ...]:
    """Let msgspec gather what it needs to decode into classes. Return the classes.

    The types of all their fields are included.
    """
    for shape in shapes:
        msgspec.json.Decoder(shape)
    return shapes
