"""Words that several commands of `intents` take."""

import argparse

from intent_lsp.core.intents import Status
from intent_lsp.formats.intents.entry import status_meant


def status(text: str) -> Status:
    """Read a status, as the intents file spells it or once did. Raises ArgumentTypeError."""
    found = status_meant(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(Status)}")
    return found
