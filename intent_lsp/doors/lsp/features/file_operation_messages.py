"""The six messages on file operations: which are taken, and who answers them.

Specified in requirements section 7.

Invariant: `will…` requests are answered with null at once while nobody is here to judge.
"""

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, Final, Protocol

from lsprotocol import types as lsp

from intent_lsp.core.file_operations import FileOperation

UriEnds = tuple[str | None, str | None]
"""The old and the new URI of what is operated on; None: a creation, or a deletion."""

_EVERY_FILE: Final = lsp.FileOperationRegistrationOptions(
    filters=[lsp.FileOperationFilter(scheme="file", pattern=lsp.FileOperationPattern("**/*"))]
)
"""Files and directories alike: a directory stands for every file below it."""

_WILL: Final = {
    lsp.WORKSPACE_WILL_CREATE_FILES: FileOperation.CREATE,
    lsp.WORKSPACE_WILL_RENAME_FILES: FileOperation.RENAME,
    lsp.WORKSPACE_WILL_DELETE_FILES: FileOperation.DELETE,
}
_DID: Final = {
    lsp.WORKSPACE_DID_CREATE_FILES: FileOperation.CREATE,
    lsp.WORKSPACE_DID_RENAME_FILES: FileOperation.RENAME,
    lsp.WORKSPACE_DID_DELETE_FILES: FileOperation.DELETE,
}

Params = lsp.CreateFilesParams | lsp.RenameFilesParams | lsp.DeleteFilesParams


class FileOperationServer(Protocol):
    """What the messages need of the server of a connection."""

    @property
    def language_service(self) -> Any | None:  # noqa: ANN401 - its module is loaded late
        """What answers, if it is ready."""

    def ready(self) -> Awaitable[Any]:
        """Wait for what answers."""

    def feature(self, name: str, options: Any = None) -> Callable[[Any], Any]:  # noqa: ANN401 - pygls's
        """Register what answers a message."""


FinishWork = Callable[[Coroutine[Any, Any, None]], Awaitable[None]]


def register(server: FileOperationServer, finish: FinishWork) -> None:
    """Take the six messages; `finish` awaits what must not be broken off once it has begun."""
    for method, operation in _WILL.items():
        _announced(server, method, operation)
    for method, operation in _DID.items():
        _told(server, finish, method, operation)


def _announced(server: FileOperationServer, method: str, operation: FileOperation) -> None:
    @server.feature(method, _EVERY_FILE)
    async def will(params: Params) -> None:
        # An operation does not wait for what is still being opened.
        if server.language_service is not None:
            await server.language_service.operating.will(operation, _ends(params))


def _told(
    server: FileOperationServer, finish: FinishWork, method: str, operation: FileOperation
) -> None:
    async def record(ends: Sequence[UriEnds]) -> None:
        language_service = await server.ready()
        await language_service.operating.did(operation, ends)

    @server.feature(method, _EVERY_FILE)
    def did(params: Params) -> Awaitable[None]:
        return finish(record(_ends(params)))


def _ends(params: Params) -> tuple[UriEnds, ...]:
    match params:
        case lsp.CreateFilesParams():
            return tuple((None, file.uri) for file in params.files)
        case lsp.RenameFilesParams():
            return tuple((file.old_uri, file.new_uri) for file in params.files)
        case lsp.DeleteFilesParams():
            return tuple((file.uri, None) for file in params.files)
