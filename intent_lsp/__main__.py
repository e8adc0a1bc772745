"""The console script: runs `--version` and a plain `hook` itself; `doors.cli` runs all else.

Invariant: `--version` loads no protocol library.
Invariant: no door imports another; this module hands the functions of other doors to the command
line.
"""

import os
import sys
from collections.abc import Sequence

from intent_lsp import __version__

PRODUCT_LINE = f"intent-lsp {__version__} (intent governance language server)"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit status (protocol section 5).

    `arguments` are the words after the program's name. None stands for those in `sys.argv`; a plain
    `hook` command given there ends the process instead of returning.
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
    return _run(words)


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


def _run(words: Sequence[str]) -> int:
    # The command line's door is loaded late, so that `--version` answers at once.
    from intent_lsp.doors.cli.command import OtherDoors  # noqa: PLC0415
    from intent_lsp.doors.cli.main import run  # noqa: PLC0415
    from intent_lsp.formats.endpoint import ListenAddress  # noqa: PLC0415

    def serve(level: str, address: ListenAddress | None) -> int:
        # The servers are loaded late: most commands need neither.
        from intent_lsp.doors.lsp.serve import serve_editor  # noqa: PLC0415

        return serve_editor(level, address)

    def serve_mcp(level: str, root: str | None, address: ListenAddress | None) -> int:
        from intent_lsp.doors.mcp.serve import serve_agents  # noqa: PLC0415

        return serve_agents(level, root, address)

    doors = OtherDoors(serve=serve, serve_mcp=serve_mcp, hook=_hook)
    return run(words, product_line=PRODUCT_LINE, doors=doors)


if __name__ == "__main__":
    raise SystemExit(main())
