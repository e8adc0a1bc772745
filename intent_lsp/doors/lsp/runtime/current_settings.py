"""The settings of one connection as they are now, and how loud they make what is found.

Invariant: whoever holds this sees every change of them.
"""

from intent_lsp.core.findings import Severity
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.scope import compile_scope
from intent_lsp.doors.lsp.runtime.settings import Settings


class CurrentSettings:
    """Holds the newest settings, `now`."""

    def __init__(self, now: Settings) -> None:
        self.now = now

    def severity(self, code: str, otherwise: Severity, path: str) -> Severity | None:
        """Tell how loud a code is on a file; None: not shown."""
        now = self.now
        if now.exclude and compile_scope(now.exclude).covers(WorkspacePath(path)):
            return None
        return now.severity.get(code, otherwise)
