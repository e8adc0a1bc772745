"""Errors: a broken world, never a wrong text (a Finding) nor a refusal (a Denied)."""


class IntentLspError(Exception):
    """The parent of every error that this package raises on purpose.

    `cure` is one line that says what to do.
    """

    cure: str = ""


class LedgerUnavailableError(IntentLspError):
    """The ledger cannot be read or appended to."""

    def __init__(self, *, path: str, problem: str, cure: str = "") -> None:
        super().__init__(f"{path}: {problem}")
        self.path, self.problem, self.cure = path, problem, cure


class RequestLimitError(IntentLspError):
    """A request that asks for more than one request may (requirements section 10)."""

    def __init__(self, *, what: str, limit: int) -> None:
        super().__init__(f"{what}: more than {limit:,}")
        self.cure = "ask for less at a time"


class InvalidCallError(IntentLspError):
    """A call whose words cannot be read: the caller's mistake, and no failure of ours."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.cure = "send the call again, spelled rightly"


class FileChangedError(IntentLspError):
    """Someone else changed a file between our reading and our writing of it."""

    def __init__(self, *, path: str) -> None:
        super().__init__(f"{path} was changed by someone else")
        self.path, self.cure = path, "read it again and try once more"


class UnsafePathError(IntentLspError):
    """A file of ours is a directory, a device or a link that leaves its root."""

    def __init__(self, *, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path, self.problem = path, problem
        self.cure = f"move {path} away; it will be created again"


class InvalidRecordError(IntentLspError):
    """A record that the ledger's schema refuses: an error of ours, never a line."""

    def __init__(self, *, problem: str) -> None:
        super().__init__(f"the record is not valid: {problem}")
        self.problem = problem
        self.cure = "report this with the log"


class StateUnavailableError(IntentLspError):
    """What `.local/` remembers cannot be read or written; the desk goes on without."""

    def __init__(self, *, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path, self.problem = path, problem
        self.cure = "make sure that the file system takes writes there"
