"""Argument types of the commands `intents …`."""

import argparse

from intent_lsp.core.intents import Status
from intent_lsp.formats.intents.entry import status_meant


def status(text: str) -> Status:
    """Return the status that a text means, older spellings included. Raise ArgumentTypeError."""
    found = status_meant(text)
    if found is None:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a status; use one of {', '.join(Status)}"
        )
    return found
