"""How long it takes to say who owns a path, beside what the machine does anyway.

Prints p50 and p99 of `ScopeIndex.owners` for paths not seen before, as microseconds and as ratios
to a lookup in a dictionary of all paths and to one scan of all globs as compiled expressions; the
time to build the index; the survey of a tree; and the slowest of the hostile patterns, their first
use included.
"""

import argparse
import fnmatch
import random
import re
import statistics
import time
from collections.abc import Callable, Sequence

from intent_lsp.core.intents import Intent, IntentId, Intents
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.findings import tree_findings
from intent_lsp.core.scope.index import ScopeIndex
from intent_lsp.core.scope.pattern import EXACT, Pattern

ROOMS = ("src", "lib", "app", "packages", "services", "tests", "docs", "internal")
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--intents", type=int, default=1000)
    parser.add_argument("--globs", type=int, default=10, help="globs of one intent")
    parser.add_argument("--paths", type=int, default=5000, help="paths asked for")
    parser.add_argument("--files", type=int, default=20000, help="files of the surveyed tree")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    chance = random.Random(asked.seed)  # noqa: S311 - nobody is kept out by these numbers
    scopes = [
        (IntentId(f"INT-{at:04}"), [glob(chance) for _ in range(asked.globs)])
        for at in range(asked.intents)
    ]
    paths = [path(chance) for _ in range(asked.paths)]
    # First: the garbage of ten thousand patterns would be collected on their account.
    hostile()
    lookups(scopes, paths)
    survey(scopes, [path(chance) for _ in range(asked.files)])


def lookups(
    scopes: Sequence[tuple[IntentId, Sequence[str]]], paths: Sequence[WorkspacePath]
) -> None:
    started = time.perf_counter()
    index = ScopeIndex(scopes)
    built = time.perf_counter() - started
    print(f"globs                {sum(len(globs) for _, globs in scopes):>10,}")
    print(f"build                {built:>10.2f} s")
    known = dict.fromkeys(paths, 0)
    base = statistics.median(timed(known.__getitem__, paths))
    expressions = [re.compile(fnmatch.translate(text)) for _, globs in scopes for text in globs]
    scan = statistics.median(
        timed(lambda one: [found for found in expressions if found.match(one)], paths[:50])
    )
    times = sorted(timed(index.owners, list(dict.fromkeys(paths))))
    again = sorted(timed(index.owners, paths[-1000:]))
    for name, value in (
        ("owners p50", statistics.median(times)),
        ("owners p99", times[int(len(times) * 0.99)]),
        ("remembered p50", statistics.median(again)),
        ("regex scan p50", scan),
    ):
        print(f"{name:<20} {value * 1e6:>10.1f} µs {value / base:>9.1f} x dict", end="")
        print(f" {value / scan:>9.5f} x scan")
    print(f"owners of a path     {statistics.mean(len(index.owners(one)) for one in paths):>10.1f}")


def survey(
    scopes: Sequence[tuple[IntentId, Sequence[str]]], files: Sequence[WorkspacePath]
) -> None:
    intents = Intents(
        tuple(Intent(id=intent_id, owned_scope=tuple(globs)) for intent_id, globs in scopes)
    )
    started = time.process_time()
    findings = tree_findings(intents, files)
    print(f"survey of {len(files):,}     {time.process_time() - started:>10.2f} s of CPU", end="")
    print(f" {len(findings):>9,} findings")


def hostile() -> None:
    worst = []
    for text in HOSTILE:
        for name in HOSTILE_PATHS:
            started = time.process_time()
            pattern = Pattern(text, EXACT)
            pattern.matches(name)
            worst.append((time.process_time() - started, text, pattern.refusal))
    for taken, text, refusal in sorted(worst, key=lambda row: -row[0])[:5]:
        print(f"hostile              {taken * 1e3:>10.1f} ms {text[:40]!r} {refusal or ''}")


def timed(ask: Callable[[WorkspacePath], object], paths: Sequence[WorkspacePath]) -> list[float]:
    taken = []
    for one in paths:
        started = time.perf_counter()
        ask(one)
        taken.append(time.perf_counter() - started)
    return taken


def glob(chance: random.Random) -> str:
    room, name = chance.choice(ROOMS), f"part{chance.randrange(1000)}"
    ending = chance.choice(ENDINGS)
    (written,) = chance.choices(
        (
            f"{room}/{name}/**",
            f"{room}/{name}/file{chance.randrange(50)}{ending}",
            f"{room}/{name}/**/*{ending}",
            f"{room}/{{{name},{name}x}}/**",
            f"{room}/*/{name}/*{ending}",
            f"{room}/{name}/!(*.test){ending}",
            f"**/{name}{ending}",
            f"**/{name}*{ending}",
            f"**/*{name}*/**",
        ),
        weights=(8, 4, 3, 1, 1, 1, 1, 0.5, 0.5),
    )
    return written


def path(chance: random.Random) -> WorkspacePath:
    names = [chance.choice(ROOMS)]
    names += [f"part{chance.randrange(1000)}" for _ in range(chance.randrange(1, 5))]
    stem = chance.choice(("file", "part", "index", "main"))
    names.append(f"{stem}{chance.randrange(1000)}{chance.choice(ENDINGS)}")
    return WorkspacePath("/".join(names))


if __name__ == "__main__":
    main()
