"""How often blame is right about a line, whatever edited it, compared with `git blame`.

Random scripts of edits: saves of a person, agents' calls, shell commands, unannounced programs,
git, and edits while no server runs. The writer of every line is known. `git blame` is asked about a
repository with one commit for each edit. Lines without a letter or digit do not count; for a line
with equal lines elsewhere, the answer for one of those counts as right.
`python -m benchmarks.attribution`
"""

import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.support.figures import Report, read_options
from tests.support.isolation import isolate

SCRIPTS = 20
STEPS = 14
AIM_WRONG = 0.3
AIM_EXACT = 1.0
AIM_MOVED = 5.0
AIM_NOT_RIGHT = 1.5


def main(words: Sequence[str] | None = None) -> int:
    options = read_options(__doc__, words)
    report = Report("Who wrote each line, of scripts of all kinds, in percent of lines", options)
    with tempfile.TemporaryDirectory() as directory:
        # Before anything opens a repository: the person's own git settings must not count.
        isolate(Path(directory))
        measure(Path(directory), report, 1 if options.quick else SCRIPTS)
    return report.status


def measure(base: Path, report: Report, scripts: int) -> None:
    """Run the scripts of each kind, and report what blame said of their lines."""
    from intent_lsp.store.git import activity  # noqa: PLC0415 - git's settings are read at the import
    from tests.support.edited_tree import KINDS, Verdict, run_script  # noqa: PLC0415

    # Nothing else runs git in these repositories, so there is nothing to wait for.
    activity.RESTS_AFTER = -1.0
    said: Counter[tuple[str, str]] = Counter()
    strict: Counter[str] = Counter()
    gits: Counter[str] = Counter()
    for number, (kind, seed) in enumerate(
        (kind, seed) for kind in KINDS for seed in range(scripts)
    ):
        tree = run_script(base / f"tree{number}", kind, seed, STEPS)
        try:
            answers = [*tree.answers()]
            found = Counter((each.confidence.value, each.verdict.value) for each in answers)
            strict += Counter(each.verdict.value for each in answers if each.strict)
            theirs = tree.git_answers(base / f"git{number}")
        finally:
            tree.close()
        said += found
        gits += Counter({verdict.value: count for verdict, count in theirs.items()})
        if seed == 0:
            of_kind: Counter[tuple[str, str]] = Counter()
        of_kind += found
        if seed == scripts - 1:
            right = share(of_kind, {Verdict.RIGHT.value, Verdict.TWIN.value})
            report.held(f"not right: {kind}", 100 - right, aim=AIM_NOT_RIGHT, unit="%")
    lines = said.total()
    wrong = Verdict.WRONG.value
    report.plain("lines", lines, "")
    report.held(
        "exact and wrong / all", percent(said["exact", wrong], lines), aim=AIM_WRONG, unit="%"
    )
    for confidence, aim in (("exact", AIM_EXACT), ("moved", AIM_MOVED)):
        all_ = sum(count for (each, _), count in said.items() if each == confidence)
        report.held(
            f"wrong / {confidence}", percent(said[confidence, wrong], all_), aim=aim, unit="%"
        )
    report.plain("of which one answer alone is right / all", percent(strict.total(), lines), "%")
    report.plain("wrong / those", percent(strict[wrong], strict.total()), "%")
    assumed = sum(count for (each, _), count in said.items() if each == "assumed")
    report.plain("assumed / all", percent(assumed, lines), "%")
    report.plain("assumed and wrong / all", percent(said["assumed", wrong], lines), "%")
    report.plain("git blame: wrong / all", percent(gits[wrong], gits.total()), "%")


def share(found: Counter[tuple[str, str]], verdicts: set[str]) -> float:
    """Return the share of the lines that have these verdicts."""
    matching = sum(count for (_, verdict), count in found.items() if verdict in verdicts)
    return percent(matching, found.total())


def percent(part: float, whole: float) -> float:
    return 100 * part / whole if whole else 0.0


if __name__ == "__main__":
    raise SystemExit(main())
