"""The command `check`: judges changes in git by the intents that they name, for a hook or for CI.

Invariant: the command writes only the summary, which is never a control file. Reading the ledger
also updates files in `.orchestration/.local/`.
"""

import argparse
from pathlib import Path
from typing import Final

from intent_lsp import __version__
from intent_lsp.core.check.report import CheckedPart, CheckReport
from intent_lsp.doors.cli.command import Call, argument, command, flag, repeated
from intent_lsp.doors.cli.exits import Exit, WrongUsageError
from intent_lsp.doors.cli.ledger.search import indexed
from intent_lsp.doors.cli.locate import refuse_control_file
from intent_lsp.doors.cli.terminal.output import Output
from intent_lsp.formats.check.code_host import SUMMARY_OPENING, annotation_lines, check_markdown
from intent_lsp.formats.check.report_json import check_json, check_sarif
from intent_lsp.formats.check.report_text import report_lines
from intent_lsp.governance.check.change import CheckWishes
from intent_lsp.governance.check.check import HEAD, CheckTarget, RootCheck
from intent_lsp.governance.root.rules import RulesCache
from intent_lsp.store.fs.files import read_bytes
from intent_lsp.store.fs.write import create_file, replace_file
from intent_lsp.store.packaged_files import sections

_COMMENT: Final = "#"


@command(
    flag("--staged", "what the next commit would contain"),
    argument("--base REV", "each commit since REV, such as origin/main"),
    argument("--head REV", "the last of these commits; HEAD if left out"),
    repeated(
        "--intent ID",
        "judge every change by this intent, whatever it names; by several when given again",
    ),
    argument(
        "--branch NAME",
        "the branch in whose name an intent's id is looked for, if not the current one",
    ),
    argument(
        "--message FILE", "the message of the commit that is being made, for a hook `commit-msg`"
    ),
    repeated(
        "--agent-author WHO",
        "a name or a mail address that is an agent's, besides those that are known",
    ),
    flag("--require-coverage", "lines that no record explains are errors"),
    argument(
        "--format",
        "text: for people; json: for scripts; sarif: 2.1.0, for code scanning; github:"
        " annotations of a workflow; markdown: as in --summary",
        choices=("text", "json", "sarif", "github", "markdown"),
        default="text",
    ),
    argument(
        "--summary FILE",
        "also write the report there, as Markdown; an earlier one is replaced, and to another"
        " file it is appended",
    ),
    examples=(
        "intent-lsp check",
        "intent-lsp check --staged --intent INT-001",
        "intent-lsp check --base origin/main --require-coverage",
        "intent-lsp check --base origin/main --format sarif | jq .runs",
        'intent-lsp check --base "$BASE" --format github --summary "$GITHUB_STEP_SUMMARY"',
    ),
)
def check(call: Call) -> Exit:
    """Check changes in git, and print the report; with --summary, also write it to a file.

    Judge the work tree against HEAD; with --staged, the index; with --base, each commit
    that the head has and the base does not, by its own intent. The intent is the one of
    --intent, else of the commit's trailer `Intent: ID`, else of the records that explain
    its lines, else the one in the branch's name. The exit status is 1 if a change is out of
    its intent's scope or names no usable intent, if an agent changed a file that agents may
    not change, or if the intents file or the ledger is broken. Lines that no record explains
    are warnings, and errors with --require-coverage. The exit status is 2 if git cannot show
    all of the changes, as in a shallow clone.

    Return 1 if the report has an error, else 0. Raise WrongUsageError if options do not go
    together, or if a file that they name cannot be used.
    """
    options = call.options
    target = _target(options)
    summary = None if options.summary is None else Path(options.root) / options.summary
    root = call.root()
    if summary is not None:
        refuse_control_file(summary, root)
    wishes = CheckWishes(
        intents=tuple(options.intent),
        branch=options.branch,
        message="" if options.message is None else _message(Path(options.root), options.message),
        agents=tuple(options.agent_author),
        require_coverage=options.require_coverage,
    )
    with indexed(root, call.page) as trace:
        checking = RootCheck(trace, RulesCache(root).current(), wishes)
        with call.page.bar("Checking") as progress:
            report = checking.run(target, progress)
    _print(call.page, report, options.format)
    for remark in report.remarks:
        call.page.remark(f"intent-lsp: {remark}")
    if summary is not None:
        _write_summary(summary, check_markdown(report))
    return Exit.FINE if report.ok else Exit.VIOLATIONS


def _target(options: argparse.Namespace) -> CheckTarget:
    if options.base is None:
        if options.head is not None:
            raise WrongUsageError(
                "--head is the end of a range, and its beginning is missing",
                cure="give it with --base REV",
            )
        part = CheckedPart.INDEX if options.staged else CheckedPart.WORK_TREE
        return CheckTarget(part=part)
    if options.staged:
        raise WrongUsageError(
            "--staged checks the index, and --base checks commits", cure="give one of them"
        )
    if options.message is not None:
        raise WrongUsageError(
            "--message is for a commit that is being made", cure="leave out --message with --base"
        )
    return CheckTarget(part=CheckedPart.RANGE, base=options.base, head=options.head or HEAD)


def _message(start: Path, spelled: str) -> str:
    """Return the message of a commit that is being made, without lines that begin with `#`.

    `spelled` is the file of the message, relative to `start`. Raise WrongUsageError if it cannot be
    read.
    """
    try:
        data = read_bytes(start / spelled)
    except OSError as error:
        raise WrongUsageError(
            f"{spelled} cannot be read: {error.strerror}", cure="give the file of the message"
        ) from error
    if data is None:
        raise WrongUsageError(f"there is no file {spelled}", cure="give the file of the message")
    lines = data.decode("utf-8", "replace").splitlines()
    return "\n".join(line for line in lines if not line.startswith(_COMMENT))


def _write_summary(file: Path, text: str) -> None:
    """Write the summary to a new file, over an earlier summary, or to the end of another file."""
    data = text.encode("utf-8", "backslashreplace")
    if create_file(file, data):
        return
    before = read_bytes(file)
    kept = b"" if before is None or before.startswith(SUMMARY_OPENING.encode()) else before
    replace_file(file, kept + data, root=file.parent, expected=before)


def _print(page: Output, report: CheckReport, form: str) -> None:
    """Print a report in one of the formats of --format."""
    match form:
        case "json":
            page.json(check_json(report))
        case "sarif":
            page.json(check_sarif(report, version=__version__, sections=sections()))
        case "markdown":
            page.text(check_markdown(report))
        case _:
            for line in (annotation_lines if form == "github" else report_lines)(report):
                page.line(line)
