"""How much an append to the ledger costs, as a ratio to a bare write and fsync of the same bytes.

Aim: at most 3, and a 99th percentile under 5 ms (the index is brought up to date as well).
"""

import os
import statistics
import tempfile
import uuid
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

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
    Related,
    ScopeValidation,
    Vcs,
)
from intent_lsp.store.ledger import Ledger

APPENDS = 2000
WARM_UP = 50
AIM_RATIO = 3.0
AIM_P99_MS = 5.0


def event(number: int) -> Event:
    """Make a realistic save: about 1 KB on the line."""
    content = hash_content(f"{number}".encode())
    run = Range(start_line=12, end_line=30, content_hash=content, replaced=(12, 4, 19))
    talk = Conversation(
        url="0192f3c4-6b1e-7000-8000-3a5d1f2e4b6c",
        contributor=Contributor(EntityType.AI, "anthropic/claude-opus-4-5"),
        ranges=(run,),
        related=(Related("specification", "INT-001"), Related("mutation_class", "BUG_FIX")),
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


def measure(root: Path) -> tuple[list[float], list[float]]:
    """Time appends and bare writes in turn; milliseconds."""
    ledger = Ledger(root, lambda: datetime.now(UTC), lambda: str(uuid.uuid4()))
    for number in range(WARM_UP):
        ledger.append(event(number))
    line = (root / LEDGER_FILE).read_bytes().splitlines(keepends=True)[-1]
    bare = os.open(root / "bare", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    ours, floor = [], []
    for number in range(APPENDS):
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


def main() -> int:
    with tempfile.TemporaryDirectory() as directory:
        ours, floor = (sorted(times) for times in measure(Path(directory)))
    ratio = statistics.median(ours) / statistics.median(floor)
    p99 = ours[int(len(ours) * 0.99)]
    bare_p99 = floor[int(len(floor) * 0.99)]
    print(f"bare write + fsync  p50 {statistics.median(floor):.3f} ms, p99 {bare_p99:.3f} ms")
    print(f"Ledger.append       p50 {statistics.median(ours):.3f} ms, p99 {p99:.3f} ms")
    print(f"ratio {ratio:.2f} (aim: at most {AIM_RATIO:g}; p99 under {AIM_P99_MS:g} ms)")
    return int(ratio > AIM_RATIO or p99 >= AIM_P99_MS)


if __name__ == "__main__":
    raise SystemExit(main())
