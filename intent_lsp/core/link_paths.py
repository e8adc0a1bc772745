"""Paths at which one command makes links, and which other paths lead through them.

Invariant: a path that may lead through a link is told, whatever its spelling; one may be told that
does not.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from intent_lsp.core.paths import fold

_SEVERAL: Final = -1
_ANY_NAME: Final = ""


@dataclass(slots=True)
class _Step:
    """One name below another; `maker`: whose link stands here, None: nobody's."""

    maker: int | None = None
    below: dict[str, "_Step"] = field(default_factory=dict)


class LinkPaths:
    """The links that the parts of a command make, each with the number of its part."""

    def __init__(self, links: Iterable[tuple[int, str]]) -> None:
        self._top = _Step()
        self._named: dict[str, int] = {}
        self._far: dict[str, int] = {}
        for maker, path in links:
            parts = _parts(path)
            name = _ANY_NAME if parts[-1] in {".", ".."} else parts[-1]
            _add(self._named, name, maker)
            if _is_near(path):
                step = self._followed(parts)[-1]
                step.maker = maker if step.maker in {None, maker} else _SEVERAL
            else:
                _add(self._far, name, maker)

    def lead(self, maker: int, path: str, *, beyond: bool) -> bool:
        """Find out whether a path leads through a link of another part.

        `beyond`: the link itself may be touched, only what is behind it counts.
        """
        parts = path.casefold().split("/")
        parts = parts[:-1] if beyond else parts
        # An absolute path and a relative one cannot be compared here, but for their names.
        known = self._far if _is_near(path) else self._named
        if any(known.get(part, maker) != maker for part in (_ANY_NAME, *parts)):
            return True
        return _is_near(path) and self._is_crossed(maker, parts)

    def _is_crossed(self, maker: int, parts: Iterable[str]) -> bool:
        """Follow a path as a system does, which goes through a link before it goes back by `..`."""
        way: list[_Step | None] = [self._top]
        for part in ("", *parts):
            if part == "..":
                way.pop()
            elif part not in {"", "."}:
                last = way[-1]
                way.append(None if last is None else last.below.get(part))
            here = way[-1]
            if here is not None and here.maker not in {None, maker}:
                return True
        return False

    def _followed(self, parts: Iterable[str]) -> list[_Step]:
        way = [self._top]
        for part in parts:
            if part == "..":
                way.pop()
            elif part not in {"", "."}:
                way.append(way[-1].below.setdefault(part, _Step()))
        return way


def _parts(path: str) -> list[str]:
    """Give the names of a path, in one letter case since a disk may have but one."""
    return (path.rstrip("/") or ".").casefold().split("/")


def _is_near(path: str) -> bool:
    return not path.startswith(("/", "~")) and fold(path) is not None


def _add(names: dict[str, int], name: str, maker: int) -> None:
    names[name] = maker if names.get(name, maker) == maker else _SEVERAL
