"""The late loading of what answers: the lobby first, then the office.

Invariant: nothing of either is loaded with this module, which the server starts with.
Invariant: what is loaded stays, so that no garbage is looked for in it, now or ever; afterwards
the garbage collector is as it was.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from lsprotocol import types as lsp

from intent_lsp.doors.lsp.protocol.protocol import IntentProtocol


def load_bootstrap() -> Callable[[IntentProtocol, lsp.InitializeParams], Any]:
    """Load what checks control files, and give what makes it."""
    # YAML and the rules of scopes: loaded once `initialize` is answered.
    with _for_good():
        from intent_lsp.doors.lsp.bootstrap import BootstrapService  # noqa: PLC0415

    return BootstrapService


def load_language_service() -> Callable[[Any], Any]:
    """Load what does all else, and give what makes it of a lobby."""
    # Git, SQLite and the rest cost as much as the protocol: loaded once a first problem is shown.
    with _for_good():
        from intent_lsp.store.malloc import share_memory  # noqa: PLC0415

        share_memory()
        from intent_lsp.doors.lsp.language_service import LanguageService  # noqa: PLC0415

    return LanguageService


@contextmanager
def _for_good() -> Iterator[None]:
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        if was_on:
            gc.enable()
