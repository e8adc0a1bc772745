"""The console script: answers `--version` and a plain `hook` itself, all else by the command line.

Invariant: `--version` loads no protocol library.
Invariant: no door imports another; this module hands the functions of other doors to the command
line.
"""

import gc
import os
import sys
from collections.abc import Sequence

from intent_lsp import __version__

PRODUCT_LINE = f"intent-lsp {__version__} (intent governance language server)"

_SWITCH_SECONDS = 0.001


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit status (protocol section 5).

    `arguments` are the words after the program's name, or None for those of this process. A plain
    `hook` command line of this process ends the process instead of returning.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words in (["--version"], ["-V"]):
        sys.stdout.write(PRODUCT_LINE + "\n")
        return 0
    if words[:1] == ["hook"] and (asked := _plain_hook(words[1:])) is not None:
        status = _hook(*asked)
        if arguments is None:
            # The answer is written. Freeing the modules first would keep the agent waiting.
            os._exit(status)
        return status
    # The command line's door is loaded late, so that `--version` answers at once.
    from intent_lsp.doors.cli.command import OtherDoors  # noqa: PLC0415
    from intent_lsp.doors.cli.main import run  # noqa: PLC0415

    doors = OtherDoors(serve=_serve, serve_mcp=_serve_mcp, hook=_hook)
    return run(words, product_line=PRODUCT_LINE, doors=doors)


def _plain_hook(words: Sequence[str]) -> tuple[str, str | None] | None:
    """Return the host and the event (None: not given) of a plain `hook` command line.

    `words` are those after `hook`. Plain are only `HOST` and `HOST --event EVENT`, where HOST does
    not begin with `-`; return None for all else, which the command line parses. A hook runs before
    and after each call of an agent, so it does not wait for a parser.
    """
    match words:
        case [host] if not host.startswith("-"):
            return host, None
        case [host, "--event", event] if not host.startswith("-"):
            return host, event
    return None


def _hook(host: str, event: str | None) -> int:
    # The door of agents' hooks is loaded late: other commands need nothing of it.
    from intent_lsp.doors.hook.hook import run_hook  # noqa: PLC0415

    return run_hook(host, event)


def _serve(
    level: str,
    *,
    scheme: str = "stdio",
    endpoint: tuple[str, int] = ("", 0),
    token_file: str | None = None,
    origins: Sequence[str] = (),
) -> int:
    # Loaded late, as the doors are: a hook needs no signals.
    import signal  # noqa: PLC0415

    # Heard once the event loop can: an interrupt in the midst of an import may get lost there.
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    # What is loaded stays: the garbage collector need not look for garbage in it, now or ever.
    gc.disable()
    # The editors' door is loaded late: its protocol costs more than all other commands together.
    from intent_lsp.doors.lsp.logs import logging_to  # noqa: PLC0415
    from intent_lsp.doors.lsp.server import build_server  # noqa: PLC0415
    from intent_lsp.doors.lsp.transport.stdio import serve_stdio  # noqa: PLC0415

    # Whoever types waits for the event loop, which waits for this lock behind threads that compute.
    sys.setswitchinterval(_SWITCH_SECONDS)
    server = build_server()
    gc.freeze()
    gc.enable()
    with logging_to(server.protocol, level):
        if scheme == "stdio":
            return serve_stdio(server)
        # Who is started at standard input, as nearly all are, does not pay for the network.
        from intent_lsp.doors.lsp.transport.socket_server import (  # noqa: PLC0415
            ListenAddress,
            open_socket_server,
            serve_sockets,
        )
        from intent_lsp.formats.endpoint import Endpoint  # noqa: PLC0415

        place = ListenAddress(
            scheme=scheme,
            endpoint=Endpoint(*endpoint),
            token_file=token_file,
            origins=frozenset(origins),
        )
        return serve_sockets(server, open_socket_server(place))


def _serve_mcp(
    level: str,
    *,
    root: str | None = None,
    endpoint: tuple[str, int] | None = None,
    token_file: str | None = None,
) -> int:
    # The agents' door is loaded late, as the editors' is: most commands need neither.
    from intent_lsp.doors.mcp.serve import serve_mcp  # noqa: PLC0415

    return serve_mcp(level, root=root, endpoint=endpoint, token_file=token_file)


if __name__ == "__main__":
    raise SystemExit(main())
