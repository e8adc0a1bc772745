"""How long reading a large intents file takes, the first time and after an edit of one intent.

The floor is composing the whole file with the C loader of PyYAML in the same run.
`python -m benchmarks.intents_file`
"""

import statistics
import time
from collections.abc import Callable, Sequence

import yaml

from benchmarks.support.figures import Report, read_options
from benchmarks.support.project import ENTRY
from intent_lsp.formats.intents.intents_file import IntentsReader

INTENTS = 1_000
QUICK_INTENTS = 50
ROUNDS = 7
AIM_EDITED = 2.0
AIM_SAME = 0.01


def median_ms(ask: Callable[[int], object]) -> float:
    times: list[float] = []
    for number in range(ROUNDS):
        start = time.perf_counter()
        ask(number)
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def main(words: Sequence[str] | None = None) -> int:
    options = read_options(__doc__, words)
    count = QUICK_INTENTS if options.quick else INTENTS
    text = "active_intents:\n" + "".join(
        ENTRY.format(n=n, status="IN_PROGRESS") for n in range(count)
    )
    place = f"Must keep {count // 2} below"
    texts = [text.replace(place, place + " edited" * n) for n in range(1, ROUNDS + 1)]
    longer = [text.replace(place, place + "\n          more" * n) for n in range(1, ROUNDS + 1)]
    reader = IntentsReader()
    reader.read(text)
    composed = median_ms(lambda _: yaml.compose(text, Loader=yaml.CSafeLoader))
    cold = median_ms(lambda _: IntentsReader().read(text))
    rows = {
        "read after an edit within a line": (
            median_ms(lambda n: reader.read(texts[n])),
            AIM_EDITED,
        ),
        "read after an edit that adds a line": (
            median_ms(lambda n: reader.read(longer[n])),
            AIM_EDITED,
        ),
        "read of the same text": (median_ms(lambda _: reader.read(longer[-1])), AIM_SAME),
    }
    size = f"{text.count(chr(10)):,} lines, {len(text) / 1e6:.1f} MB"
    report = Report(f"reading {count:,} intents, {size}", options)
    report.plain("compose all, C loader", composed)
    report.plain("cold read", cold)
    report.plain("cold read / compose all", cold / composed, "x")
    for name, (milliseconds, aim) in rows.items():
        report.plain(name, milliseconds)
        report.held(f"{name} / compose all", milliseconds / composed, aim=aim)
    return report.status


if __name__ == "__main__":
    raise SystemExit(main())
