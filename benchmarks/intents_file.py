"""How long is a large intents file read, cold and after an edit within one intent?

Ratios to composing the whole file with the C loader in the same run: they, not the times, compare
between machines. `python benchmarks/intents_file.py [intents]`
"""

import statistics
import sys
import time
from collections.abc import Callable

import yaml

from intent_lsp.formats.intents_yaml import IntentsReader

ROUNDS = 7
ENTRY = """\
  - id: INT-{n:04}
    name: "Intent number {n}"
    status: IN_PROGRESS
    owned_scope:
      - "src/part{n}/**"
      - "tests/part{n}/**"
      - docs/part{n}.md
      - packages/{{a,b}}/part{n}/*.ts
    constraints:
      - "Must not change the public interface"
      - "Must keep {n} below the limit"
      # Said at the meeting.
      - Must log nothing
    acceptance_criteria:
      - "All tests of part {n} pass"
      - "Coverage is kept"
      - "The change is reviewed"
    related_files:
      - src/part{n}/main.ts
      - src/part{n}/other.ts
    recent_history:
      - "POST_HOOK write_to_file src/part{n}/main.ts"
      - "PRE_HOOK write_to_file src/part{n}/main.ts"
    aliases: []
    description: |
      A longer text about intent {n},
      over two lines.
    created_at: "2026-02-16T12:00:00Z"
    updated_at: "2026-02-16T12:00:00Z"
"""


def median_ms(ask: Callable[[int], object]) -> float:
    times: list[float] = []
    for number in range(ROUNDS):
        start = time.perf_counter()
        ask(number)
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    text = "active_intents:\n" + "".join(ENTRY.format(n=n) for n in range(count))
    place = f"Must keep {count // 2} below"
    texts = [text.replace(place, place + " edited" * n) for n in range(1, ROUNDS + 1)]
    longer = [text.replace(place, place + "\n          more" * n) for n in range(1, ROUNDS + 1)]
    reader = IntentsReader()
    reader.read(text)
    composed = median_ms(lambda _: yaml.compose(text, Loader=yaml.CSafeLoader))
    rows = {
        "compose all, C loader": composed,
        "cold read": median_ms(lambda _: IntentsReader().read(text)),
        "read after an edit within a line": median_ms(lambda n: reader.read(texts[n])),
        "read after an edit that adds a line": median_ms(lambda n: reader.read(longer[n])),
        "read of the same text": median_ms(lambda _: reader.read(longer[-1])),
    }
    print(f"{count} intents, {text.count(chr(10)):,} lines, {len(text) / 1e6:.1f} MB")
    for name, milliseconds in rows.items():
        print(f"{name:<38}{milliseconds:9.2f} ms {milliseconds / composed:8.3f} x")


if __name__ == "__main__":
    main()
