"""What the server costs while nobody types: processor time and memory.

A governed repository with an open file in each of 100 directories, watched by the server itself.
The floor is a bare pygls server with the same files open. `python -m benchmarks.idle`
"""

import time
from collections.abc import Sequence

from benchmarks.support.client import BARE, OURS, introduce, open_document, started
from benchmarks.support.figures import Report, read_options
from benchmarks.support.process import cpu_seconds, resident_megabytes, wait_until_idle
from benchmarks.support.project import project

FILES = 100
SECONDS = 10.0
QUICK_SECONDS = 0.5
AIM_CPU_PERCENT = 1.0


def main(words: Sequence[str] | None = None) -> int:
    options = read_options(__doc__, words)
    seconds = QUICK_SECONDS if options.quick else SECONDS
    report = Report(f"idle for {seconds:g} s, {FILES} files open", options)
    files = {f"src/part{number}/file.py": "line\n" * 100 for number in range(FILES)}
    with project(files) as root, started(OURS) as server, started(BARE) as floor:
        for client in (server, floor):
            introduce(client, root)
            for name, text in files.items():
                open_document(client, (root / name).as_uri(), text)
        server.ask("intent/select", {"intentId": "INT-001"})
        wait_until_idle(server)
        began = [cpu_seconds(client) for client in (server, floor)]
        time.sleep(seconds)
        ours, bare = (
            (cpu_seconds(client) - before) * 100 / seconds
            for client, before in zip((server, floor), began, strict=True)
        )
        memory, floor_memory = resident_megabytes(server), resident_megabytes(floor)
    report.plain("bare, processor", bare, "% of one")
    report.held("ours, processor", ours, aim=AIM_CPU_PERCENT, unit="%")
    report.plain("bare, memory", floor_memory, "MB")
    report.plain("ours, memory", memory, "MB")
    report.plain("memory", memory / floor_memory, "x")
    return report.status


if __name__ == "__main__":
    raise SystemExit(main())
