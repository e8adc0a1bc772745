"""The invariants of docs/architecture.md that import contracts cannot hold."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import architecture
from tests.support.architecture import Module

PACKAGE = Path(__file__).parent.parent / "intent_lsp"
MODULES = architecture.modules_of(PACKAGE)

# The privileges of single modules; one that is renamed or goes away must leave these lists.
WRITERS = {
    "store.append_file",
    "store.fs.files",
    "store.fs.sqlite_file",
    "store.fs.write",
    "store.ledger.raw.file",
    # Into a temporary database.
    "store.ledger.verify.link_table",
    "store.locks.root_lock",
    "store.fs.transaction",
}
CLOCKS = {"store.clock", "store.stopwatch"}
DIFF = "formats.diff"
BILINGUAL = {"doors.lsp.diagnostics.lsp_convert"}
# Where the values live that have a twin in the protocol: positions, spans, severities, edits.
TWINS = "intent_lsp.core.findings"

each_module = pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)


@each_module
def test_a_module_opens_with_its_sign(module: Module) -> None:
    assert architecture.sign(module) == []


def test_no_two_modules_have_the_same_sign() -> None:
    signs = [architecture.head(module) for module in MODULES]
    assert sorted(signs) == sorted(set(signs))


@each_module
def test_imports_are_absolute_real_and_not_passed_on(module: Module) -> None:
    assert architecture.relative_imports(module) == []
    assert architecture.hidden_imports(module) == []
    assert architecture.passed_on_names(module) == []


@each_module
def test_a_module_keeps_no_state(module: Module) -> None:
    assert architecture.module_state(module) == []


def test_core_needs_nothing_installed_but_the_library_of_its_values() -> None:
    core = [module for module in MODULES if module.short_name.startswith("core.")]
    assert core
    allowed = frozenset({"msgspec"})
    assert [line for module in core for line in architecture.foreign_imports(module, allowed)] == []


def test_only_the_writers_change_files() -> None:
    others = [module for module in MODULES if module.short_name not in WRITERS]
    assert [line for module in others for line in architecture.writes(module)] == []


def test_only_the_clock_asks_the_time() -> None:
    others = [module for module in MODULES if module.short_name not in CLOCKS]
    assert [line for module in others for line in architecture.asks_the_time(module)] == []


def test_only_the_git_modules_know_git() -> None:
    def may_know(module: Module) -> bool:
        return module.short_name.startswith("store.git.")

    strangers = [module for module in MODULES if not may_know(module)]
    knowing = {m.short_name for m in strangers if architecture.imports_below(m, "pygit2")}
    starting = {m.short_name for m in strangers if architecture.imports_below(m, "subprocess")}
    assert knowing <= {DIFF}
    # Our own workers, and the hooks that `intent-lsp doctor` tries as their hosts run them.
    assert starting == {"store.ledger.verify.scan", "store.hook_runs"}


def test_only_one_module_knows_both_a_value_and_its_twin_in_the_protocol() -> None:
    def speaks_both(module: Module) -> bool:
        ours = architecture.imports_below(module, TWINS)
        return bool(ours and architecture.imports_below(module, "lsprotocol"))

    assert {module.short_name for module in MODULES if speaks_both(module)} == BILINGUAL


def test_doors_do_not_import_each_other() -> None:
    def door(name: str) -> str:
        return name.split(".")[2]

    assert [
        f"{module.path}:{line}: {name}"
        for module in MODULES
        if module.short_name.startswith("doors.")
        for line, name in architecture.imports(module)
        if name.startswith("intent_lsp.doors.") and door(name) != door(module.name)
    ] == []


def test_every_privilege_belongs_to_a_module_that_uses_it() -> None:
    rooms = {module.short_name: module for module in MODULES}
    assert {name for name in WRITERS if not architecture.writes(rooms[name])} == set()
    assert all(architecture.asks_the_time(rooms[name]) for name in CLOCKS)
    assert architecture.imports_below(rooms[DIFF], "pygit2")


def test_the_version_is_told_without_loading_a_protocol() -> None:
    program = (
        "import json, sys\n"
        "from intent_lsp.__main__ import main\n"
        "status = main(['--version'])\n"
        "print(json.dumps([status, sorted(sys.modules)]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    status, loaded = json.loads(done.stdout.splitlines()[-1])
    assert status == 0
    heavy = {"asyncio", "cattrs", "lsprotocol", "mcp", "pydantic", "pygit2", "pygls", "yaml"}
    assert heavy & set(loaded) == set()


HOT_PATHS = ("core", "doors.hook", "doors.lsp", "governance", "store")
"""What runs while somebody types, saves or waits for a hook."""


def test_the_models_of_the_schemas_are_loaded_by_their_command_alone() -> None:
    names = [each.name for each in MODULES if each.short_name.startswith(HOT_PATHS)]
    commands = "[each.load() for each in main.COMMANDS if each.name not in ('schema', 'mcp')]"
    program = (
        "import json, sys\n"
        f"for name in {names}: __import__(name)\n"
        f"from intent_lsp.doors.cli import main; {commands}\n"
        "early = list(sys.modules)\n"
        "next(each for each in main.COMMANDS if each.name == 'schema').load()\n"
        "print(json.dumps([early, list(sys.modules)]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    early, late = map(set, json.loads(done.stdout))
    assert "intent_lsp.formats.intents.intents_file" in early
    models = {name for name in late if name.startswith("intent_lsp.formats.schemas.")}
    assert "intent_lsp.formats.schemas.control_file_models" in models
    assert (models | {"pydantic", "pydantic_core"}) & early == set()


Check = Callable[[Module], list[str]]


@pytest.mark.parametrize(
    ("check", "source"),
    [
        (architecture.sign, "import ast"),
        (architecture.sign, '"""A sign that\nis too long."""'),
        (architecture.sign, '"""A sign.\nAnd more of it."""'),
        (architecture.relative_imports, "from . import paths"),
        (architecture.hidden_imports, "from typing import TYPE_CHECKING"),
        (architecture.module_state, "seen = {}"),
        (architecture.module_state, "seen: dict[str, int] = {}"),
        (architecture.module_state, "_SEEN: Final = []"),
        (architecture.module_state, "table = {1: 2}"),
        (architecture.module_state, "_TABLE = {1: 2}\ndef f():\n    _TABLE[2] = 3"),
        (architecture.module_state, "_TABLE = [1]\ndef f():\n    _TABLE.append(2)"),
        (architecture.module_state, "_TABLE = [1]\ndef f():\n    del _TABLE[0]"),
        (architecture.module_state, "_TABLE = [1]\ndef f():\n    _TABLE[0] += 1"),
        (architecture.module_state, "import collections as c\nseen = c.defaultdict(list)"),
        (architecture.module_state, "from threading import Lock\nlock = Lock()"),
        (architecture.module_state, "def f():\n    global n\n    n = 1"),
        (architecture.writes, "open('x', 'w')"),
        (architecture.writes, "open('x', mode='r+b')"),
        (architecture.writes, "path.open('ab')"),
        (architecture.writes, "path.write_text('x')"),
        (architecture.writes, "from os import replace as put\nput('a', 'b')"),
        (architecture.writes, "import sqlite3\nsqlite3.connect('x')"),
        (architecture.asks_the_time, "import time"),
        (architecture.asks_the_time, "from datetime import datetime\ndatetime.now()"),
        (architecture.asks_the_time, "import datetime as d\nd.date.today()"),
    ],
)
def test_each_check_sees_a_culprit(check: Check, source: str) -> None:
    assert check(architecture.parse("intent_lsp.example", source)) != []


@pytest.mark.parametrize(
    ("check", "source"),
    [
        (architecture.sign, '"""What is it?\n\nInvariant: nothing.\n"""'),
        (architecture.module_state, "from types import MappingProxyType as P\nX = P({1: 2})"),
        (architecture.module_state, "_TABLE = {1: 2}\ndef f(x):\n    return _TABLE[x]"),
        (architecture.module_state, "_TABLE = {1: 2}\n_TABLE[2] = 3"),
        (architecture.module_state, "_TABLE: Final[dict[int, int]] = {n: n for n in range(3)}"),
        (architecture.module_state, "X = frozenset({1})\nY = (1, 2)"),
        (architecture.module_state, "class A:\n    def f(self):\n        x = []"),
        (architecture.writes, "open('x')\nopen('x', 'rb')\npath.open()\n'a'.replace('b', 'w')"),
        (architecture.asks_the_time, "from datetime import datetime\ndatetime.fromisoformat('x')"),
    ],
)
def test_no_check_accuses_the_innocent(check: Check, source: str) -> None:
    assert check(architecture.parse("intent_lsp.example", source)) == []


def test_a_package_that_passes_names_on_is_seen() -> None:
    module = architecture.parse(
        "intent_lsp.core", "from os import path", path="intent_lsp/core/__init__.py"
    )
    assert architecture.passed_on_names(module) != []
    assert architecture.foreign_imports(
        architecture.parse("intent_lsp.core.x", "import yaml"), frozenset({"bracex"})
    )
