"""How long a person waits in VS Code: from the extension's start until its first diagnostic.

In VS Code's own workbench, a new window each time. The floor, in the same rounds, is a bare
vscode-languageclient with a bare pygls server that publishes a diagnostic for each document.
`python -m benchmarks.vscode_start`
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.support.client import BARE, OURS
from benchmarks.support.figures import Report, p50, read_options
from benchmarks.support.project import INTENTS_FILE, WRONG, project
from benchmarks.support.vscode_windows import vscode_window, watch
from tests.support.chromium import chromium

STARTS = 20
AIM = 1.3


def times(rounds: int) -> tuple[list[float], list[float]]:
    """Start the bare client and our extension in turn; return milliseconds of each."""
    with (
        tempfile.TemporaryDirectory(prefix="intent-lsp-bench-") as directory,
        project({}, WRONG) as root,
        chromium(Path(directory, "browser")) as browser,
    ):
        base, file = Path(directory), root / INTENTS_FILE
        package = watch(base / "watch")
        with (
            vscode_window(base / "bare", file, package, bare=[*BARE, "--publish-on-open"]) as bare,
            vscode_window(base / "ours", file, package, ours=OURS) as ours,
        ):
            pairs = [(bare.start(browser, root), ours.start(browser, root)) for _ in range(rounds)]
    # The first start of each fills the disk's caches, and the browser's.
    counted = pairs[1:] or pairs
    return [pair[0] for pair in counted], [pair[1] for pair in counted]


def main(words: Sequence[str] | None = None) -> int:
    options = read_options(__doc__, words)
    report = Report("VS Code, start of the extension until its first diagnostic", options)
    try:
        bare, ours = times(1 if options.quick else STARTS)
    except pytest.skip.Exception as reason:
        raise SystemExit(f"cannot be measured: {reason}") from None
    for name, each in (("bare client and server", bare), ("the extension", ours)):
        report.plain(f"{name}, minimum", min(each))
        report.plain(f"{name}, median", p50(each))
    report.held("minimum / minimum", min(ours) / min(bare), aim=AIM)
    report.held("median / median", p50(ours) / p50(bare), aim=AIM)
    return report.status


if __name__ == "__main__":
    raise SystemExit(main())
