"""Whether blame is right of each line, whoever edited and however, beside `git blame`.

Scripts of edits by a person's saves, agents' calls, shell commands, unannounced programs, git and
with no server running; every line knows who wrote it. `git blame` is asked of a repository with one
commit for each edit. Lines without a letter or digit do not count; a line that another line is
equal to may be told as that one. `python -m benchmarks.attribution`
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
        # Before anything opens a repository: a person's own git settings are none of ours.
        isolate(Path(directory))
        measure(Path(directory), report, 1 if options.quick else SCRIPTS)
    return report.status


def measure(room: Path, report: Report, scripts: int) -> None:
    """Play the scripts of each kind, and tell what was said of their lines."""
    from intent_lsp.store.git import activity  # noqa: PLC0415 - git's settings are read at the import
    from tests.support.edited_tree import KINDS, Verdict, played  # noqa: PLC0415

    # Nothing else moves in these repositories, so that git rests at once.
    activity.RESTS_AFTER = -1.0
    said: Counter[tuple[str, str]] = Counter()
    strict: Counter[str] = Counter()
    gits: Counter[str] = Counter()
    for number, (kind, seed) in enumerate(
        (kind, seed) for kind in KINDS for seed in range(scripts)
    ):
        tree = played(room / f"tree{number}", kind, seed, STEPS)
        try:
            answers = [*tree.answers()]
            found = Counter((each.confidence.value, each.verdict.value) for each in answers)
            strict += Counter(each.verdict.value for each in answers if each.strict)
            theirs = tree.git_answers(room / f"git{number}")
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
    """Return the part of the lines with these verdicts."""
    told = sum(count for (_, verdict), count in found.items() if verdict in verdicts)
    return percent(told, found.total())


def percent(part: float, whole: float) -> float:
    return 100 * part / whole if whole else 0.0


if __name__ == "__main__":
    raise SystemExit(main())
