"""How long other requests wait while a person types into a large intents file.

200 intents and 1,000, with 32 lines each. After every key, other requests are sent one after the
other until the diagnostics of the file arrive; the longest of them is the delay that a person
notices. The floor is the same requests to the same server while it is idle. Once with globs that
each match a file, once with globs that match none, which causes four hints for each intent.
`python -m benchmarks.typing_intents`
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.support.client import (
    OURS,
    Client,
    Message,
    change,
    introduce,
    open_document,
    replacing,
    started,
)
from benchmarks.support.figures import Options, Report, Watch, p50, p99, read_options
from benchmarks.support.process import wait_until_idle
from benchmarks.support.project import ENTRY, INTENTS_FILE, project

AIMS_MS = {200: 50.0, 1_000: 150.0}
"""Milliseconds that another request may take at most, by the number of intents."""
QUICK_AIMS_MS = {50: 50.0}
KEYS = 100
IDLE_PROBES = 500
OTHER = "elsewhere/other.py"
CODE = "".join(f"line {number}\n" for number in range(200))
LINES = ENTRY.count("\n")
FILES = ("src/part{n}/main.ts", "tests/part{n}/x.ts", "docs/part{n}.md", "packages/a/part{n}/x.ts")


class Window:
    """An editor with the intents file and one other file open."""

    def __init__(self, client: Client, root: Path, intents: str) -> None:
        self._client = client
        self._intents = (root / INTENTS_FILE).as_uri()
        self._other = (root / OTHER).as_uri()
        # A constraint of an intent in the middle.
        self._line = LINES * (intents.count("  - id:") // 2) + 11
        self._version = 1
        self._other_version = 1
        self._typed = 0
        introduce(client, root)
        open_document(client, self._other, CODE)
        open_document(client, self._intents, intents)
        client.ask("intent/select", {"intentId": "INT-0000"})
        self._edit(replacing(0, 0, 4, "LINE"))

    def probe(self) -> float:
        """Ask for the status and for another file's diagnostics; return the longer time, in ms."""
        watch = Watch()
        self._client.ask("intent/status", {})
        asked = watch.lap()
        self._typed += 1
        self._edit(replacing(self._typed % 100, 0, 0, "x"))
        return max(asked, watch.lap())

    def key(self) -> tuple[float, list[float]]:
        """Type a key, probe until the file is validated; return that time, and each probe's."""
        self._version += 1
        data = change(self._intents, self._version, [replacing(self._line, 20, 20, "x")])
        self._client.unread.clear()
        watch = Watch()
        self._client.write(data)
        probes = [self.probe()]
        while not any(self._validated()):
            probes.append(self.probe())
        return watch.lap(), probes

    def _edit(self, edit: Message) -> None:
        self._other_version += 1
        self._client.write(change(self._other, self._other_version, [edit]))
        self._client.problems(self._other, self._other_version)

    def _validated(self) -> Iterator[bool]:
        for said in self._client.unread:
            params = said.get("params") or {}
            yield params.get("uri") == self._intents and params.get("version") == self._version


def intents_file(count: int) -> str:
    """Return the file; one status is unknown, so that every version has a diagnostic."""
    entries = (
        ENTRY.format(n=number, status="SOON" if number == 1 else "IN_PROGRESS")
        for number in range(count)
    )
    return "active_intents:\n" + "".join(entries)


def measure(
    files: Mapping[str, str], count: int, aim: float, options: Options, report: Report
) -> None:
    intents = intents_file(count)
    with project({OTHER: CODE, **files}, intents) as root, started(OURS) as server:
        window = Window(server, root, intents)
        wait_until_idle(server)
        idle = [window.probe() for _ in range(options.rounds(IDLE_PROBES))]
        keys = [window.key() for _ in range(options.rounds(KEYS))]
    validated = [taken for taken, _ in keys]
    longest = [max(probes) for _, probes in keys]
    report.plain("another request, idle server, p50", p50(idle))
    report.plain("another request, idle server, p99", p99(idle))
    report.plain("key to diagnostics of the intents file, p50", p50(validated))
    report.plain("key to diagnostics of the intents file, p99", p99(validated))
    report.plain("longest other request after a key, p50", p50(longest))
    report.held("longest other request after a key, p99", p99(longest), aim=aim, unit="ms")
    report.plain("ratio to idle, p50", p50(longest) / p50(idle), "x")


def main(words: Sequence[str] | None = None) -> int:
    options = read_options(__doc__, words)
    missed = 0
    for count, aim in (QUICK_AIMS_MS if options.quick else AIMS_MS).items():
        title = f"typing into {count:,} intents, {count * LINES:,} lines"
        matched = {name.format(n=number): "" for number in range(count) for name in FILES}
        for files, what in ((matched, "every glob matches"), ({}, "no glob matches")):
            report = Report(f"{title}, {what}", options)
            measure(files, count, aim, options, report)
            missed |= report.status
    return missed


if __name__ == "__main__":
    raise SystemExit(main())
