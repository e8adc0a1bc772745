"""Writing the intents file: completion of a path, and hovers on globs, in a tree of 100,000 files.

A path inside a glob is completed in directories of 100 files each, and globs are hovered: the first
time after the server has started, then others. The floor is a request that the server answers from
memory. How long others wait while the file is validated is measured by `typing_intents`.
`python -m benchmarks.authoring`
"""

from collections.abc import Sequence
from pathlib import Path

from benchmarks.support.client import OURS, Client, introduce, open_document, started
from benchmarks.support.figures import Report, Watch, p50, p99, read_options
from benchmarks.support.process import wait_until_idle
from benchmarks.support.project import INTENTS_FILE, project

DIRECTORIES = 1_000
FILES_EACH = 100
ROUNDS = 200
COMPLETION_MS, HOVER_MS = 30.0, 100.0
GLOBS = ("src/d{n:04}/**", "**/f{n:04}_*.py", "src/*/f{n:04}_7.py")
BEGUN = '    owned_scope: ["src/d'
"""The line on which a path is completed, up to the cursor but for the directory's number."""


class Author:
    """An editor with an open intents file, whose globs it hovers and completes."""

    def __init__(self, client: Client, root: Path, text: str) -> None:
        self._client = client
        self._uri = (root / INTENTS_FILE).as_uri()
        self._lines = text.splitlines()
        introduce(client, root)
        open_document(client, self._uri, text)
        client.ask("intent/select", {"intentId": "INT-001"})

    def floor(self) -> float:
        """Ask for the status; return the milliseconds."""
        watch = Watch()
        self._client.ask("intent/status", {})
        return watch.lap()

    def completion(self, number: int) -> float:
        """Complete a name in a directory that was not listed yet; return the milliseconds."""
        line = next(at for at, each in enumerate(self._lines) if f'{BEGUN}{number:04}/"' in each)
        end = self._lines[line].index('/"') + 1
        watch = Watch()
        found = self._client.ask("textDocument/completion", self._at(line, end))
        taken = watch.lap()
        names = [item["label"] for item in found["items"]]
        assert sum(name.endswith(".py") for name in names) >= FILES_EACH, names
        return taken

    def hover(self, glob: str) -> float:
        """Hover over a glob; return the milliseconds."""
        line = next(at for at, each in enumerate(self._lines) if f'"{glob}"' in each)
        place = self._at(line, self._lines[line].index(glob) + 1)
        watch = Watch()
        shown = self._client.ask("textDocument/hover", place)
        taken = watch.lap()
        assert shown is not None, glob
        return taken

    def _at(self, line: int, character: int) -> dict[str, object]:
        position = {"line": line, "character": character}
        return {"textDocument": {"uri": self._uri}, "position": position}


def intents_file(rounds: int) -> str:
    """Return a file whose globs are completed and hovered, one intent for each round."""
    entries = ["active_intents:"]
    for number in range(rounds):
        entries += [
            f"  - id: INT-{number + 1:03}",
            "    status: IN_PROGRESS",
            f'{BEGUN}{number:04}/"]',
            "    related_files: []",
        ]
    entries += ["  - id: INT-999", "    owned_scope:"]
    entries += [f'      - "{glob.format(n=n)}"' for n in range(rounds) for glob in GLOBS]
    return "\n".join(entries) + "\n"


def main(words: Sequence[str] | None = None) -> int:
    options = read_options(__doc__, words)
    directories = 10 if options.quick else DIRECTORIES
    rounds = min(options.rounds(ROUNDS), directories)
    report = Report(f"an intents file in a tree of {directories * FILES_EACH:,} files", options)
    files = {
        f"src/d{each:04}/f{each:04}_{number}.py": ""
        for each in range(directories)
        for number in range(FILES_EACH)
    }
    text = intents_file(rounds)
    with project(files, text) as root, started(OURS) as server:
        author = Author(server, root, text)
        wait_until_idle(server)
        first = author.hover(GLOBS[0].format(n=0))
        floor = [author.floor() for _ in range(rounds)]
        completed = [author.completion(number) for number in range(rounds)]
        hovered = [author.hover(glob.format(n=n)) for n in range(rounds) for glob in GLOBS]
    report.plain("a request answered from memory, p50", p50(floor))
    report.plain("completion of a path, p50", p50(completed))
    report.held("completion of a path, p99", p99(completed), aim=COMPLETION_MS, unit="ms")
    report.held("hover on a glob, the first", first, aim=HOVER_MS, unit="ms")
    report.plain("hover on a glob, p50", p50(hovered))
    report.held("hover on a glob, p99", p99(hovered), aim=HOVER_MS, unit="ms")
    return report.status


if __name__ == "__main__":
    raise SystemExit(main())
