"""How long it takes to find the owners of a path, compared with scanning all globs.

`ScopeIndex.owners` for new paths; the floors are one scan of all globs as compiled expressions, and
a lookup in a dictionary of all paths. Also the time to build the index, the survey of a tree, and
the slowest hostile pattern, its compilation included. `python -m benchmarks.scope`
"""

import fnmatch
import random
import re
import statistics
import time
from collections.abc import Callable, Sequence

from benchmarks.support.figures import Report, p50, p99, read_options
from intent_lsp.core.intents import Intent, IntentId, Intents
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.findings import tree_findings
from intent_lsp.core.scope.pattern import EXACT, Pattern
from intent_lsp.core.scope.scope import ScopeIndex, compile_scopes

INTENTS = 1_000
QUICK_INTENTS = 50
GLOBS = 10
PATHS = 5_000
FILES = 20_000
AIM_OWNERS_MS = 10.0
AIM_SCAN = 0.1
AIM_HOSTILE_MS = 100.0

DIRECTORIES = ("src", "lib", "app", "packages", "services", "tests", "docs", "internal")
ENDINGS = (".ts", ".tsx", ".py", ".go", ".rs", ".md", ".test.ts", ".json")
HOSTILE_PATHS = (
    "a" * 4000,
    "/".join("a" * 2000),
    "ab" * 2000,
    "a" * 3999 + "b",
    "".join(chr(0x4E00 + at) for at in range(4000)),
)
HOSTILE = (
    "*a" * 120 + "b",
    "**/a/" * 16 + "b",
    "?*" * 100 + "b",
    "{?,a}" * 9,
    "{*a,*b}" * 9 + "c",
    "*{1..1000}*b",
    "{1..1000}?",
    "{**/,}a/" * 8 + "b",
    "[[:alpha:]]*" * 8 + "1",
    "[a-{a..z}]*" * 2 + "x",
    "+(a|aa)" * 8 + "b",
    "*(a|b)" * 8 + "c",
    "*(*(*(a|b)|ab)|ba)c",
    "*(" + "[!a]|[!b]|??" + ")*([ab])c",
    "!(!(!(a)))",
    "!(*a*)!(*b*)!(*c*)",
    "*!(*a??????????)*b",
    "*!(" + "|".join("?" * at + "a*" for at in range(1, 15)) + ")*b",
    "*!(*!(*a)*)*b",
    "{" * 100 + "a,b" + "}" * 100,
    "{a," * 160 + "b" + "}" * 160,
    "{" + ",".join(f"*xxxxxx{end}" for end in "abcdefghij") + "}{?a*,?b*,?c*,?d*,?e*}{a,b,c,d,e}",
)


def main(words: Sequence[str] | None = None) -> int:
    options = read_options(__doc__, words)
    count = QUICK_INTENTS if options.quick else INTENTS
    report = Report(f"scope, {count:,} intents of {GLOBS} globs", options)
    chance = random.Random(1)  # noqa: S311 - nobody is kept out by these numbers
    scopes = [
        (IntentId(f"INT-{at:04}"), [glob(chance) for _ in range(GLOBS)]) for at in range(count)
    ]
    # First: otherwise it would pay for collecting the garbage of ten thousand patterns.
    hostile(report, HOSTILE[:3] if options.quick else HOSTILE)
    lookups(report, scopes, [path(chance) for _ in range(options.rounds(PATHS))])
    survey(report, scopes, [path(chance) for _ in range(options.rounds(FILES))])
    return report.status


def lookups(
    report: Report,
    scopes: Sequence[tuple[IntentId, Sequence[str]]],
    paths: Sequence[WorkspacePath],
) -> None:
    started = time.perf_counter()
    compiled = compile_scopes(globs for _, globs in scopes)
    index = ScopeIndex([(name, scope) for (name, _), scope in zip(scopes, compiled, strict=True)])
    report.plain("build of the index", (time.perf_counter() - started) * 1e3)
    known = dict.fromkeys(paths, 0)
    base = p50(timed(known.__getitem__, paths))
    expressions = [re.compile(fnmatch.translate(text)) for _, globs in scopes for text in globs]
    scan = p50(timed(lambda one: [found for found in expressions if found.match(one)], paths[:50]))
    times = timed(index.owners, list(dict.fromkeys(paths)))
    again = timed(index.owners, paths[-1000:])
    report.plain("scan of all globs as expressions, p50", scan)
    report.plain("owners of a new path, p50", p50(times))
    report.held("owners of a new path, p99", p99(times), aim=AIM_OWNERS_MS, unit="ms")
    report.held("owners / scan, p50", p50(times) / scan, aim=AIM_SCAN)
    report.plain("owners of a path asked for before, p50", p50(again))
    report.plain("the same / lookup in a dictionary, p50", p50(again) / base, "x")
    mean = statistics.mean(len(index.owners(one)) for one in paths)
    report.plain("owners of a path, mean", mean, "intents")


def survey(
    report: Report,
    scopes: Sequence[tuple[IntentId, Sequence[str]]],
    files: Sequence[WorkspacePath],
) -> None:
    intents = Intents(
        tuple(Intent(id=intent_id, owned_scope=tuple(globs)) for intent_id, globs in scopes)
    )
    started = time.process_time()
    findings = tree_findings(intents, files)
    taken = (time.process_time() - started) * 1e3
    report.plain(f"survey of {len(files):,} files, {len(findings):,} findings", taken)


def hostile(report: Report, patterns: Sequence[str]) -> None:
    worst = (0.0, "")
    for text in patterns:
        for name in HOSTILE_PATHS:
            started = time.process_time()
            Pattern(text, EXACT).matches(name)
            worst = max(worst, ((time.process_time() - started) * 1e3, text))
    report.held(
        f"slowest hostile pattern, {worst[1][:20]}", worst[0], aim=AIM_HOSTILE_MS, unit="ms"
    )


def timed(ask: Callable[[WorkspacePath], object], paths: Sequence[WorkspacePath]) -> list[float]:
    """Look up each path; return milliseconds of each."""
    taken = []
    for one in paths:
        started = time.perf_counter()
        ask(one)
        taken.append((time.perf_counter() - started) * 1e3)
    return taken


def glob(chance: random.Random) -> str:
    top, name = chance.choice(DIRECTORIES), f"part{chance.randrange(1000)}"
    ending = chance.choice(ENDINGS)
    (written,) = chance.choices(
        (
            f"{top}/{name}/**",
            f"{top}/{name}/file{chance.randrange(50)}{ending}",
            f"{top}/{name}/**/*{ending}",
            f"{top}/{{{name},{name}x}}/**",
            f"{top}/*/{name}/*{ending}",
            f"{top}/{name}/!(*.test){ending}",
            f"**/{name}{ending}",
            f"**/{name}*{ending}",
            f"**/*{name}*/**",
        ),
        weights=(8, 4, 3, 1, 1, 1, 1, 0.5, 0.5),
    )
    return written


def path(chance: random.Random) -> WorkspacePath:
    names = [chance.choice(DIRECTORIES)]
    names += [f"part{chance.randrange(1000)}" for _ in range(chance.randrange(1, 5))]
    stem = chance.choice(("file", "part", "index", "main"))
    names.append(f"{stem}{chance.randrange(1000)}{chance.choice(ENDINGS)}")
    return WorkspacePath("/".join(names))


if __name__ == "__main__":
    raise SystemExit(main())
