"""How much an append to the ledger costs, compared with writing and syncing the same bytes.

An append includes bringing the index up to date. `python -m benchmarks.ledger_append`
"""

import os
import tempfile
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

from benchmarks.support.figures import Report, p50, p99, read_options
from intent_lsp.core.content import hash_content
from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.core.records import (
    Contributor,
    Conversation,
    EntityType,
    Event,
    MutationClass,
    Range,
    RecordFile,
    RelatedEntry,
    ScopeValidation,
    Vcs,
)
from intent_lsp.store.ledger.ledger import Ledger

APPENDS = 2000
WARM_UP = 50
AIM_RATIO = 3.0
AIM_P99_MS = 5.0


def event(number: int) -> Event:
    """Return the event of a realistic save: a line of about 1 KB."""
    content = hash_content(f"{number}".encode())
    run = Range(start_line=12, end_line=30, content_hash=content, replaced=(12, 4, 19))
    talk = Conversation(
        url="0192f3c4-6b1e-7000-8000-3a5d1f2e4b6c",
        contributor=Contributor(EntityType.AI, "anthropic/claude-opus-4-5"),
        ranges=(run,),
        related=(
            RelatedEntry("specification", "INT-001"),
            RelatedEntry("mutation_class", "BUG_FIX"),
        ),
    )
    file = RecordFile(
        relative_path=f"src/module_{number % 100}.py",
        pre_hash=content,
        post_hash=content,
        conversations=(talk,),
    )
    return Event(
        intent_id=f"INT-{number % 20:03}",
        intent_hash=content,
        session_id="0192f3c4-6b1e-7000-8000-3a5d1f2e4b6c",
        tool_name="editor/save",
        mutation_class=MutationClass.BUG_FIX,
        scope_validation=ScopeValidation.PASS,
        vcs=Vcs("a3c56b05b2766f6ce3795558307cdc8fdf46391a"),
        files=(file,),
    )


def measure(root: Path, appends: int) -> tuple[list[float], list[float]]:
    """Time appends and bare writes in turn; return milliseconds of each."""
    ledger = Ledger(root, lambda: datetime.now(UTC), lambda: str(uuid.uuid4()))
    for number in range(WARM_UP):
        ledger.append(event(number))
    line = (root / LEDGER_FILE).read_bytes().splitlines(keepends=True)[-1]
    bare = os.open(root / "bare", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    ours, floor = [], []
    for number in range(appends):
        edit = event(number)
        start = perf_counter()
        ledger.append(edit)
        middle = perf_counter()
        os.write(bare, line)
        os.fsync(bare)
        ours.append((middle - start) * 1000)
        floor.append((perf_counter() - middle) * 1000)
    os.close(bare)
    ledger.close()
    return ours, floor


def main(words: Sequence[str] | None = None) -> int:
    options = read_options(__doc__, words)
    report = Report("Ledger.append", options)
    with tempfile.TemporaryDirectory() as directory:
        ours, floor = measure(Path(directory), options.rounds(APPENDS))
    report.plain("bare write + fsync, p50", p50(floor))
    report.plain("bare write + fsync, p99", p99(floor))
    report.plain("Ledger.append, p50", p50(ours))
    report.held("Ledger.append, p99", p99(ours), aim=AIM_P99_MS, unit="ms")
    report.held("p50 / p50", p50(ours) / p50(floor), aim=AIM_RATIO)
    return report.status


if __name__ == "__main__":
    raise SystemExit(main())
