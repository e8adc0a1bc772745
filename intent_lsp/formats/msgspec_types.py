"""Classes that msgspec reads, learned of while a module is imported.

Invariant: what a thread reads into is known before there is a second thread. msgspec (0.22) fills
in what it knows of a class where others see it already, and one that uses it by then takes the
whole process down.
"""

import msgspec


def register_msgspec_types(*shapes: type) -> tuple[type, ...]:
    """Let msgspec know classes, and all that their fields are of; give them back."""
    for shape in shapes:
        msgspec.json.Decoder(shape)
    return shapes
