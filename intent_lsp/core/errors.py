"""The exceptions that several parts of this package raise, with hints on what to do.

Invariant: a problem in a text is a Finding and a refused edit is a Denied. Both are returned, never
raised.
"""


class IntentLspError(Exception):
    """The base class of the exceptions that this package raises for a user to read.

    `cure` is one line that says what to do, or "" if there is nothing to do.
    """

    cure: str = ""


class PathError(IntentLspError):
    """Something is wrong with what is at `path`. The message is `<path>: <problem>`."""

    def __init__(self, *, path: str, problem: str, cure: str | None = None) -> None:
        super().__init__(f"{path}: {problem}")
        self.path, self.problem = path, problem
        self.cure = self.cure if cure is None else cure


class LedgerUnavailableError(PathError):
    """The ledger cannot be read or appended to."""


class RequestLimitError(IntentLspError):
    """A request asked for more than the limit of a single request (requirements section 10)."""

    def __init__(self, *, problem: str, limit: int) -> None:
        super().__init__(f"{problem}: more than {limit:,}")
        self.cure = "ask for less in one request"


class InvalidCallError(IntentLspError):
    """A caller sent a tool call or params that are not valid. `problem` says what is wrong."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.cure = "correct the call and send it again"


class WrongParamsError(InvalidCallError):
    """A request's params are wrong. `field` is the path of the wrong field, or "" if unknown."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"params.{field}: {problem}" if field else f"params: {problem}")
        self.field, self.problem = field, problem
        self.cure = "correct that field and send the request again"


class FileChangedError(IntentLspError):
    """Another program changed a file after this process read it and before it wrote it."""

    def __init__(self, *, path: str) -> None:
        super().__init__(f"{path} was changed by somebody else before this change was written")
        self.path, self.cure = path, "read the file again and try once more"


class UnsafePathError(PathError):
    """A path cannot be read or written as a file of the root; `problem` says why."""

    def __init__(self, *, path: str, problem: str) -> None:
        super().__init__(path=path, problem=problem, cure=f"move {path} away and try again")


class InvalidRecordError(IntentLspError):
    """The ledger's schema rejects a record that this process made, so the record is not written."""

    def __init__(self, *, problem: str) -> None:
        super().__init__(f"the record is not valid: {problem}")
        self.problem = problem
        self.cure = "this is a bug of intent-lsp: report it with the log"


class StateUnavailableError(PathError):
    """The state in `.orchestration/.local/` cannot be read or written.

    The process continues without it.
    """

    cure = "make sure that intent-lsp can write files in .orchestration/.local/"
