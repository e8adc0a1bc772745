"""The command `trace export`: records in formats of other tools."""

from collections.abc import Callable
from pathlib import Path

from intent_lsp.core.paths import CONTROL_ROOM
from intent_lsp.core.text import counted
from intent_lsp.doors.cli.command import Call, argument, command
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.doors.cli.ledger.search import FILTERS, indexed, search
from intent_lsp.formats.ledger.exports import EXPORTS
from intent_lsp.store.fs.write import new_file

Sink = Callable[[bytes], object]
"""Writes one line, given with its line end."""


@command(
    argument(
        "--format",
        "agent-trace: the open specification 0.1.0; flat: one file a line; csv: for"
        " spreadsheets; json: as they stand in the ledger",
        required=True,
        choices=tuple(EXPORTS),
    ),
    *FILTERS,
    argument("--output FILE", "write a new file, as seen from here or from -C"),
    examples=(
        "intent-lsp trace export --format agent-trace --output traces.jsonl",
        "intent-lsp trace export --format csv --since 2026-11-01 --output november.csv",
        "intent-lsp trace export --format flat --intent INT-001 | jq .file.relative_path",
    ),
)
def trace_export(call: Call) -> None:
    """Write the records that match the filters, to standard output or to a new file.

    Write the ledger's records, oldest first, as one JSON object or one row per line. A
    record must match all filters, as in `trace list`. Data that a format cannot express is
    left out. In Agent Trace, the `metadata` of each record counts what was left out; csv and
    flat have no ranges. An existing file is not overwritten.
    """
    options = call.options
    root = call.root()
    if options.output is None:
        written, why = _write(call, root, call.page.raw)
    else:
        # As with git, paths are relative to -C.
        written, why = _to_file(call, root, Path(options.root) / options.output)
    if not written:
        call.page.remark(f"intent-lsp: nothing was exported: {why}")
    elif options.output is not None:
        call.page.line(f"{options.output}: {counted(written, 'record')}")


def _to_file(call: Call, root: Path, path: Path) -> tuple[int, str]:
    if _is_ours(path, root):
        cure = f"give a file outside of {CONTROL_ROOM}"
        raise WrongUsageError(f"{path}: nothing is exported into {CONTROL_ROOM}", cure=cure)
    try:
        with new_file(path) as write:
            return _write(call, root, write)
    except FileExistsError:
        cure = "give another file, or move that one away"
        raise WrongUsageError(f"{path} exists and is not overwritten", cure=cure) from None
    except OSError as error:
        cure = "give a file that can be written"
        raise WrongUsageError(f"{path}: {error.strerror or error}", cure=cure) from error


def _is_ours(path: Path, root: Path) -> bool:
    try:
        return path.resolve().is_relative_to(root.resolve() / CONTROL_ROOM)
    except (OSError, ValueError) as error:  # A loop of links, or a NUL.
        raise WrongUsageError(f"{path}: {error}", cure="give a file that can be written") from error


def _write(call: Call, root: Path, sink: Sink) -> tuple[int, str]:
    """Write the matching records, calling `sink` with each line.

    The options name the format and the filters. Return the number of records, and a clause that
    says why there are none, or "".
    """
    form, written = EXPORTS[call.options.format], 0
    with indexed(root, call.page) as trace:
        wanted = search(call.options, root, trace)
        if form.heading:
            sink(form.heading)
        for record in wanted.oldest_first(trace):
            for line in form.lines(record):
                sink(line)
            written += 1
        return written, "" if written else wanted.why_none(trace)
