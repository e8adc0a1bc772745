"""The commands that another door carries out: `serve`, `mcp` and `hook`."""

import argparse
import sys
from typing import Final

from intent_lsp.doors.cli.command import Call, argument, command, flag, one_of, repeated
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.doors.cli.locate import directory
from intent_lsp.formats.endpoint import Endpoint, ListenAddress, read_endpoint, read_origin


def _endpoint(spelled: str) -> Endpoint:
    found = read_endpoint(spelled)
    if found is None:
        raise argparse.ArgumentTypeError(f"{spelled!r} is not HOST:PORT")
    return found


def _origin(spelled: str) -> str:
    found = read_origin(spelled)
    if found is None:
        raise argparse.ArgumentTypeError(f"{spelled!r} is not an origin, such as https://HOST")
    return found


_LOG_LEVEL: Final = argument(
    "--log-level",
    "how much is logged to standard error: %(choices)s (default: %(default)s)",
    choices=("debug", "info", "warning", "error"),
    default="warning",
)


@command(
    _LOG_LEVEL,
    one_of(
        flag(
            "--stdio",
            "speak over standard input and output, as is done unless told otherwise;"
            " some editors add this of their own accord",
        ),
        argument(
            "--tcp HOST:PORT",
            "wait for one client at this address; no HOST: this machine only; port 0: any;"
            " the first line on standard error says where",
            type=_endpoint,
        ),
        argument(
            "--ws HOST:PORT",
            "the same by WebSocket; needs --token-file, and intent-lsp[ws] to be installed",
            type=_endpoint,
        ),
    ),
    argument(
        "--token-file FILE",
        "what a client has to send as initializationOptions.token stands in this file, which"
        " nobody else may read; made with a fresh token if it is not there",
    ),
    repeated(
        "--allow-origin ORIGIN",
        "let pages of this origin, https://HOST[:PORT], open the WebSocket; may be repeated",
        type=_origin,
    ),
    examples=(
        "intent-lsp",
        "intent-lsp serve --log-level debug 2>intent-lsp.log",
        "intent-lsp serve --tcp 127.0.0.1:2087 --token-file ~/.token",
        "intent-lsp serve --ws :0 --token-file ~/.token --allow-origin https://ide.example.org",
    ),
    in_root=False,
)
def serve(call: Call) -> int:
    """Start the language server, and return its exit status.

    Serve one editor over standard input and output: show edits outside the selected
    intent, judge saves, keep the ledger. `intent-lsp` alone does the same. Where no
    .orchestration/active_intents.yaml governs, the server says nothing and writes nothing.
    It logs to standard error, and warnings to the editor's own log.

    With --tcp or --ws, the server also has only one client, and ends when the client leaves.
    """
    options = call.options
    scheme, endpoint = ("ws", options.ws) if options.ws else ("tcp", options.tcp)
    _check(options)
    if endpoint is None:
        _remark_at_a_terminal(call, server="a language server", client="an editor")
        return call.doors.serve(options.log_level, None)
    address = ListenAddress(
        scheme=scheme,
        endpoint=endpoint,
        token_file=options.token_file,
        origins=frozenset(options.allow_origin),
    )
    return call.doors.serve(options.log_level, address)


def _check(options: argparse.Namespace) -> None:
    """Raise WrongUsageError for an option that has no effect with the chosen transport."""
    if options.token_file is not None and not (options.tcp or options.ws):
        raise serve.refuse("--token-file needs --tcp or --ws")
    if options.allow_origin and not options.ws:
        raise serve.refuse("--allow-origin needs --ws")


def _remark_at_a_terminal(call: Call, *, server: str, client: str) -> None:
    """Print a remark if a person has started a server at a terminal, where no client will come.

    `server` and `client` are what the remark calls them.
    """
    if sys.stdin is not None and sys.stdin.isatty():
        call.page.remark(
            f"intent-lsp: this is {server}, and it waits for {client} on standard input;"
            " `intent-lsp --help` lists the other commands (Ctrl-C ends this one)"
        )


@command(
    argument(
        "-C --root DIR",
        "serve only the project of this directory; the governed root is found from there upwards",
    ),
    argument(
        "--http HOST:PORT",
        "serve HTTP at this address of this machine; no HOST: 127.0.0.1; port 0: any; the"
        " first line on standard error says where. Needs --token-file",
        type=_endpoint,
    ),
    argument(
        "--token-file FILE",
        "what a client has to send as `Authorization: Bearer TOKEN` stands in this file,"
        " which nobody else may read; made with a fresh token if it is not there",
    ),
    _LOG_LEVEL,
    examples=(
        "intent-lsp mcp",
        "intent-lsp mcp --root ~/work/project",
        "intent-lsp mcp --http 127.0.0.1:8123 --token-file ~/.intent-lsp-token",
    ),
    in_root=False,
)
def mcp(call: Call) -> int:
    """Start the MCP server, and return its exit status.

    Serve an agent's host by the Model Context Protocol: tools to select an intent, to check,
    make and record edits, to ask for scope and to read the ledger. The server speaks over
    standard input and output, as hosts start it; with --http, over HTTP on this machine, with
    a token. Without --root, the project is found from the paths of each call, else from the
    working directory.
    """
    options = call.options
    if options.root is not None:
        directory(options.root)
    if options.http is not None and options.token_file is None:
        raise WrongUsageError(
            "--http needs a token: without one, every user and web page of this machine could"
            " connect",
            cure="add `--token-file FILE`; the file is created with a new token if it does not"
            " exist",
        )
    if options.token_file is not None and options.http is None:
        raise mcp.refuse("--token-file needs --http")
    if options.http is None:
        _remark_at_a_terminal(call, server="an MCP server", client="an agent's host")
        return call.doors.serve_mcp(options.log_level, options.root, None)
    address = ListenAddress(scheme="http", endpoint=options.http, token_file=options.token_file)
    return call.doors.serve_mcp(options.log_level, options.root, address)


@command(
    argument("host HOST", "the agent host, such as claude or codex"),
    argument("--event NAME", "the name of the event, where its payload has none"),
    examples=("intent-lsp hook claude", "intent-lsp hook antigravity --event PreToolUse"),
    in_root=False,
)
def hook(call: Call) -> int:
    """Answer the agent host's event on standard input, and return the exit status.

    Read one event of an agent host's hook from standard input, judge or record it, and
    answer as that host expects. An agent host runs this command; `intent-lsp agents install`
    writes the registration.
    """
    return call.doors.hook(call.options.host, call.options.event)
