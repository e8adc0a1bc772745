"""Checks of a module's syntax tree, for the rules that import contracts cannot express.

Invariant: every check takes a `Module` and returns complaints, so that a test can show it a module
that breaks the rule.
"""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_MUTABLE_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_MUTABLE_MAKERS = frozenset(
    {
        "bytearray",
        "collections.Counter",
        "collections.OrderedDict",
        "collections.defaultdict",
        "collections.deque",
        "contextvars.ContextVar",
        "dict",
        "itertools.count",
        "list",
        "queue.Queue",
        "set",
        "threading.Event",
        "threading.local",
        "threading.Lock",
        "threading.RLock",
        "asyncio.Event",
        "asyncio.Lock",
        "asyncio.Queue",
        "weakref.WeakKeyDictionary",
        "weakref.WeakValueDictionary",
    }
)
_CHANGING_METHODS = frozenset(
    {
        *("add", "append", "clear", "discard", "extend", "insert", "pop", "popitem"),
        *("remove", "reverse", "setdefault", "sort", "update"),
    }
)

_WRITING_FUNCTIONS = frozenset(
    {
        "os.chmod",
        "os.fchmod",
        "os.ftruncate",
        "os.link",
        "os.makedirs",
        "os.mkdir",
        "os.open",
        "os.pwrite",
        "os.remove",
        "os.removedirs",
        "os.rename",
        "os.renames",
        "os.replace",
        "os.rmdir",
        "os.symlink",
        "os.truncate",
        "os.unlink",
        "os.utime",
        "os.write",
        "shutil.copy",
        "shutil.copy2",
        "shutil.copyfile",
        "shutil.copytree",
        "shutil.move",
        "shutil.rmtree",
        "sqlite3.connect",
        "tempfile.mkdtemp",
        "tempfile.mkstemp",
        "tempfile.NamedTemporaryFile",
        "tempfile.TemporaryDirectory",
        "tempfile.TemporaryFile",
    }
)
_WRITING_METHODS = frozenset(
    {
        "hardlink_to",
        "mkdir",
        "rmdir",
        "symlink_to",
        "touch",
        "unlink",
        "write_bytes",
        "write_text",
    }
)
_CLOCKS = frozenset(
    {
        "datetime.date.today",
        "datetime.datetime.now",
        "datetime.datetime.today",
        "datetime.datetime.utcnow",
    }
)


@dataclass(frozen=True, slots=True)
class Module:
    """One module of the package: `name` is dotted, `path` is relative to the repository."""

    name: str
    path: str
    tree: ast.Module

    @property
    def short_name(self) -> str:
        """The dotted name below the package: `store.files` of `intent_lsp.store.fs.files`."""
        return self.name.partition(".")[2]


def parse(name: str, source: str, *, path: str = "example.py") -> Module:
    """Read one module from its text."""
    return Module(name, path, ast.parse(source))


def modules_of(package: Path) -> list[Module]:
    """Read every module below the package's directory, in order of path."""
    found = []
    for path in sorted(package.rglob("*.py")):
        relative = path.relative_to(package.parent)
        parts = relative.with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found.append(parse(name, path.read_text(encoding="utf-8"), path=relative.as_posix()))
    return found


def imports(module: Module) -> Iterator[tuple[int, str]]:
    """Yield each imported name with its line: `a.b` for `import a.b` and for `from a import b`."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            head = "." * node.level + (node.module or "")
            yield from ((node.lineno, f"{head}.{alias.name}") for alias in node.names)


def imports_below(module: Module, package: str) -> list[int]:
    """Return the lines on which something of `package` is imported."""
    inside = package + "."
    return [line for line, name in imports(module) if (name + ".").startswith(inside)]


def head(module: Module) -> str:
    """Return the first line of the module's docstring, which names its subject."""
    return (ast.get_docstring(module.tree) or "").partition("\n")[0]


def sign(module: Module) -> list[str]:
    """Complain unless the module opens with one line that names it and ends in a full stop."""
    text = ast.get_docstring(module.tree)
    if not text:
        return [f"{module.path}: no sign; open with one noun phrase"]
    first, _, rest = text.partition("\n")
    if not first.endswith((".", "?")):
        return [f"{module.path}: the sign is longer than one line, or has no full stop: {first!r}"]
    if rest and not rest.startswith("\n"):
        return [f"{module.path}: no blank line after the sign"]
    return []


def relative_imports(module: Module) -> list[str]:
    """Complain of every relative import."""
    lines = (line for line, name in imports(module) if name.startswith("."))
    return [f"{module.path}:{line}: relative import" for line in lines]


def passed_on_names(module: Module) -> list[str]:
    """Complain of a package's `__init__` that imports: it only names the subject."""
    if not module.path.endswith("__init__.py"):
        return []
    return [f"{module.path}:{line}: passes {name} on" for line, name in imports(module)]


def hidden_imports(module: Module) -> list[str]:
    """Complain of imports that only the type checker sees."""
    return [
        f"{module.path}:{line}: TYPE_CHECKING"
        for line, name in imports(module)
        if name == "typing.TYPE_CHECKING"
    ]


def foreign_imports(module: Module, allowed: frozenset[str]) -> list[str]:
    """Complain of imports from outside the package, the standard library and `allowed`."""
    known = allowed | sys.stdlib_module_names | {module.name.partition(".")[0]}
    return [
        f"{module.path}:{line}: {name}"
        for line, name in imports(module)
        if name.partition(".")[0] not in known
    ]


def module_state(module: Module) -> list[str]:
    """Complain of state at module level: `global`, and values that could be changed.

    A constant table is not state if it is filled from the start, named like a constant, and changed
    by no function of the module.
    """
    found = [
        f"{module.path}:{node.lineno}: `global {', '.join(node.names)}`"
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Global)
    ]
    imported, written = _aliases(module), _written(module)
    for node in module.tree.body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        name = ast.unparse(target)
        constant = name.isupper() and name not in written and not _empty(node.value)
        if _mutable(node.value, imported) and not (
            constant and isinstance(node.value, _MUTABLE_DISPLAYS)
        ):
            found.append(f"{module.path}:{node.lineno}: {name} is a mutable value")
    return found


def _mutable(value: ast.expr, imported: dict[str, str]) -> bool:
    if isinstance(value, _MUTABLE_DISPLAYS):
        return True
    return isinstance(value, ast.Call) and _called(value, imported) in _MUTABLE_MAKERS


def _empty(value: ast.expr) -> bool:
    if isinstance(value, ast.Dict):
        return not value.keys
    return isinstance(value, ast.List | ast.Set) and not value.elts


def _written(module: Module) -> set[str]:
    """Return the names whose items some function changes; at import a table may still be made."""
    found = set()
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    outer = (node for node in ast.walk(module.tree) if isinstance(node, functions))
    for node in (inner for function in outer for inner in ast.walk(function)):
        match node:
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                found.add(name)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)):
                found |= {name} if method in _CHANGING_METHODS else set()
            case _:
                pass
    return found


def writes(module: Module) -> list[str]:
    """Complain of calls that change the file system."""
    return [
        f"{module.path}:{call.lineno}: {what}"
        for call, what in _calls(module)
        if what in _WRITING_FUNCTIONS
        or what.rpartition(".")[2] in _WRITING_METHODS
        or _opens_to_write(call, what)
    ]


def _opens_to_write(call: ast.Call, what: str) -> bool:
    if what in {"open", "io.open", "os.fdopen"}:
        positional = call.args[1:2]
    elif what.endswith(".open"):
        positional = call.args[:1]
    else:
        return False
    modes = [*positional, *(word.value for word in call.keywords if word.arg == "mode")]
    return any(
        isinstance(mode, ast.Constant) and set(str(mode.value)) & set("wax+") for mode in modes
    )


def asks_the_time(module: Module) -> list[str]:
    """Complain of every use of the clock."""
    lines = [f"{module.path}:{line}: import of time" for line in imports_below(module, "time")]
    lines += [
        f"{module.path}:{call.lineno}: {what}" for call, what in _calls(module) if what in _CLOCKS
    ]
    return lines


def _calls(module: Module) -> Iterator[tuple[ast.Call, str]]:
    """Yield every call with the dotted name of what it calls, import aliases resolved."""
    names = _aliases(module)
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call):
            yield node, _called(node, names)


def _called(call: ast.Call, names: dict[str, str]) -> str:
    head, dot, rest = ast.unparse(call.func).partition(".")
    return names.get(head, head) + dot + rest


def _aliases(module: Module) -> dict[str, str]:
    """Map each imported name, as this module spells it, to what it is."""
    found: dict[str, str] = {}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            found |= {alias.asname: alias.name for alias in node.names if alias.asname}
        elif isinstance(node, ast.ImportFrom):
            found |= {
                alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names
            }
    return found
