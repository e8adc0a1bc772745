"""Coverage of the tests that start no process: `python -m tests.support.coverage_report`.

Modules that none of them imports are run by server processes alone. Those are listed; the minimum
holds for the others.
"""

import sys
from collections.abc import Iterable
from pathlib import Path

from coverage import Coverage
from coverage.exceptions import CoverageException


def main() -> int:
    """Print both lists; return 0 if the minimum is met, 1 if not, 2 if nothing was measured."""
    coverage = Coverage()
    try:
        coverage.load()
    except CoverageException as problem:
        print(f"nothing was measured: {problem}", file=sys.stderr)
        return 2
    apart = sorted(_never_imported(coverage))
    if len(apart) == len(coverage.get_data().measured_files()):
        print("nothing was measured: run `make coverage`", file=sys.stderr)
        return 2
    covered = coverage.report(omit=apart)
    print("\nReached by processes alone, and not counted:")
    for file in apart:
        _, statements, _, _, _ = coverage.analysis2(file)
        print(f"  {Path(file).relative_to(Path.cwd())}  {len(statements)} statements")
    floor = float(coverage.get_option("report:fail_under") or 0)  # type: ignore[arg-type]  # a number
    print(f"\n{covered:.2f} % of the rest, floor {floor:g} %")
    return 0 if covered >= floor else 1


def _never_imported(coverage: Coverage) -> Iterable[str]:
    """Yield the modules of which no line ran, not even those that an import runs."""
    for file in coverage.get_data().measured_files():
        _, statements, _, missing, _ = coverage.analysis2(file)
        if statements and len(missing) == len(statements):
            yield file


if __name__ == "__main__":
    sys.exit(main())
