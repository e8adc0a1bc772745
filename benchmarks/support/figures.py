"""Figures and their aims: printed side by side, and enforced with `--check`."""

import argparse
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Final

MISSED: Final = 1


@dataclass(frozen=True, slots=True)
class Options:
    """How to run: `quick` only shows that it runs, `check` fails where an aim is missed."""

    quick: bool
    check: bool

    def rounds(self, full: int) -> int:
        """Return how often to measure: `full` times, or at most twice with `--quick`."""
        return min(2, full) if self.quick else full


def read_options(about: str | None, words: Sequence[str] | None = None) -> Options:
    """Read a benchmark's command line."""
    parser = argparse.ArgumentParser(description=(about or "").strip())
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--quick", action="store_true", help="few rounds: only to see it run")
    parser.add_argument("--check", action="store_true", help="exit 1 where an aim is missed")
    read = parser.parse_args(words)
    return Options(quick=read.quick, check=read.check)


class Report:
    """The figures of one benchmark, printed as they come."""

    def __init__(self, title: str, options: Options) -> None:
        self._options = options
        self._missed = 0
        print(title + (" (quick: too few rounds to mean anything)" if options.quick else ""))

    def plain(self, name: str, value: float, unit: str = "ms") -> None:
        """Print a figure without an aim."""
        print(f"  {name:<46}{value:10.3f} {unit}", flush=True)

    def held(self, name: str, value: float, *, aim: float, unit: str = "x") -> None:
        """Print a figure with its aim; above the aim it is counted as missed."""
        met = value <= aim
        self._missed += not met
        said = "ok" if met else "MISSED"
        print(f"  {name:<46}{value:10.3f} {unit:<3} aim <= {aim:g}  {said}", flush=True)

    @property
    def status(self) -> int:
        """The exit status: 1 if an aim was missed and `--check` was given."""
        return MISSED if self._missed and self._options.check else 0


class Watch:
    """A stopwatch: `lap` returns the milliseconds since the last lap, or the start."""

    __slots__ = ("_since",)

    def __init__(self) -> None:
        self._since = perf_counter()

    def lap(self) -> float:
        now = perf_counter()
        taken = (now - self._since) * 1000
        self._since = now
        return taken


def p50(times: Sequence[float]) -> float:
    """Return the median."""
    return statistics.median(times)


def p99(times: Sequence[float]) -> float:
    """Return the value that 99 of 100 do not exceed."""
    return sorted(times)[math.ceil(len(times) * 0.99) - 1]
