"""What a server process costs: processor time and memory, read from `/proc`."""

import os
import time
from pathlib import Path
from typing import Final, Literal

from benchmarks.support.client import Client, HungUpError

_TICKS: Final = os.sysconf("SC_CLK_TCK")
_QUIET: Final = 0.3
_PATIENCE: Final = 60.0


def cpu_seconds(client: Client) -> float:
    """Return the processor time that the server has used so far, all threads together."""
    fields = _proc(client, "stat").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def resident_megabytes(client: Client) -> float:
    """Return the memory that the server has in RAM now."""
    return int(_proc(client, "statm").split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def most_megabytes(client: Client) -> float:
    """Return the most memory that the server ever had in RAM."""
    return most_megabytes_of(client.process.pid)


def most_megabytes_of(process: int | Literal["self"]) -> float:
    """Return the most memory that a process, given by its id, ever had in RAM."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    kilobytes = next(line.split()[1] for line in lines if line.startswith("VmHWM:"))
    return int(kilobytes) * 1024 / 1e6


def wait_until_idle(client: Client) -> None:
    """Wait until a server uses no processor time: its work after a start or a change is done."""
    until = time.monotonic() + _PATIENCE
    before = cpu_seconds(client)
    while time.monotonic() < until:
        time.sleep(_QUIET)
        now = cpu_seconds(client)
        if now - before <= 1 / _TICKS:
            return
        before = now
    raise HungUpError("the server is never idle")


def _proc(client: Client, name: str) -> str:
    return Path(f"/proc/{client.process.pid}/{name}").read_text()
