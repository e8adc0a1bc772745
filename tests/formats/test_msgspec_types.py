"""Classes that msgspec reads are known before there are threads that read into them at once."""

import ast
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from intent_lsp.formats.msgspec_types import register_msgspec_types
from tests.support import architecture

PACKAGE = Path(__file__).parent.parent.parent / "intent_lsp"

AT_ONCE = """
import msgspec, sys, threading
from dataclasses import make_dataclass
from intent_lsp.formats.msgspec_types import register_msgspec_types

sys.setswitchinterval(1e-6)
NAMES = [f"field_{number}" for number in range(20)]
VALUE = {name: {inner: 1 for inner in NAMES} for name in NAMES}
for _ in range(60):
    inner = make_dataclass("Inner", [(name, int | None, None) for name in NAMES])
    fields = [(name, inner | None, None) for name in NAMES]
    (outer,) = register_msgspec_types(make_dataclass("Outer", fields))
    together = threading.Barrier(4)

    def read():
        together.wait()
        msgspec.convert(VALUE, outer)

    threads = [threading.Thread(target=read) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
"""


@dataclass(frozen=True)
class Point:
    x: int


def test_classes_are_given_back() -> None:
    assert register_msgspec_types(Point, int) == (Point, int)


def test_what_is_known_may_be_read_by_many_threads_at_once() -> None:
    """A process in which it is not known does not survive the first few classes."""
    done = subprocess.run([sys.executable, "-c", AT_ONCE], check=False, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")


def structs(tree: ast.Module) -> set[str]:
    """Give the classes of a module that params are read into: those of msgspec, and of those."""
    return {
        node.name
        for node in tree.body
        if isinstance(node, ast.ClassDef) and node.name.endswith("Params")
    }


def named(tree: ast.Module, function: str) -> set[str]:
    """Give the names that a module passes to a function."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {
        argument.id
        for call in calls
        if ast.unparse(call.func) == function
        for argument in call.args
        if isinstance(argument, ast.Name)
    }


@pytest.mark.parametrize(
    "module",
    ["formats/params/requests", "formats/params/calls", "doors/lsp/requests/plan_requests"],
)
def test_the_params_of_all_requests_are_known(module: str) -> None:
    tree = ast.parse((PACKAGE / f"{module}.py").read_text(encoding="utf-8"))
    assert structs(tree)
    assert structs(tree) <= named(tree, "register_msgspec_types")


def test_what_is_read_into_a_class_of_a_module_is_known_there() -> None:
    found = {}
    for module in architecture.modules_of(PACKAGE):
        tree = ast.parse((PACKAGE.parent / module.path).read_text(encoding="utf-8"))
        classes = {name for name in named(tree, "msgspec.convert") if name[0].isupper()}
        classes |= {name for name in named(tree, "_converted") if name.startswith("_")}
        found[module.short_name] = classes - named(tree, "register_msgspec_types")
    assert {room: names for room, names in found.items() if names} == {}
