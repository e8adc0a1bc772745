"""Recorded payloads of agent hosts (tests/data/hosts), placed into a directory of a test."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RECORDINGS = Path(__file__).parents[1] / "data" / "hosts"
PLACE = "/repo"


@dataclass(frozen=True, slots=True)
class Recording:
    """What a host handed to a hook: its name, the event as registered, and the payload."""

    host: str
    scenario: str
    event: str
    number: int
    payload: dict[str, Any]

    @property
    def name(self) -> str:
        """A name for the test."""
        return f"{self.host}-{self.scenario}-{self.number}-{self.event}"

    def at(self, root: Path) -> bytes:
        """Return the payload as the host would send it from the directory `root`."""
        text = json.dumps(self.payload)
        place = json.dumps(str(root))[1:-1]
        # The place may be the whole of a text, the beginning of a path, or inside of one.
        for end in ('"', "/", "\\n", " "):
            text = text.replace(PLACE + end, place + end)
        return text.encode()


def recordings(host: str | None = None) -> Iterator[Recording]:
    """Yield the recordings of all hosts, or of one, each scenario in the order of its events."""
    found = []
    for path in RECORDINGS.glob(f"{host or '*'}/*.json"):
        told = json.loads(path.read_text(encoding="utf-8"))
        scenario = path.name.partition(".")[0]
        found.append(
            Recording(told["host"], scenario, told["event"], told["number"], told["payload"])
        )
    yield from sorted(found, key=lambda one: (one.host, one.scenario, one.number))


def scenario(host: str, name: str) -> list[Recording]:
    """Return the events of one scenario of one host, in their order."""
    return [one for one in recordings(host) if one.scenario == name]
