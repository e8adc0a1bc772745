"""Classification of files by name: code, configuration or prose."""

import re
from enum import Enum
from typing import Final


class FileKind(Enum):
    """The purpose of a file, judged by its name: code, configuration, prose or unknown."""

    CODE = "code"
    CONFIGURATION = "configuration"
    PROSE = "prose"
    UNKNOWN = "unknown"


def name_of(path: str) -> str:
    """Return the part of a path after its last `/`."""
    return path.rpartition("/")[2]


def suffix_of(name: str) -> str:
    """Return the part of a name after its last dot, in lower case.

    Return "" if there is no dot, or if that dot is the first character, as in `.bashrc`.
    """
    stem, dot, suffix = name.rpartition(".")
    return suffix.lower() if dot and stem else ""


def kind_of(path: str, language: str | None) -> FileKind:
    """Return the purpose of a file, judged by its name and, if the name says nothing, its language.

    `language` is the file's programming language, or None if that is not known. A file is UNKNOWN
    if it has no known name and no known language.
    """
    name = name_of(path)
    suffix = suffix_of(name)
    if _CONFIGURATION.fullmatch(suffix) or _CONFIGURATION_NAMES.fullmatch(name):
        return FileKind.CONFIGURATION
    if _PROSE.fullmatch(suffix) or _PROSE_NAMES.fullmatch(name):
        return FileKind.PROSE
    return FileKind.UNKNOWN if language is None else FileKind.CODE


_PROSE: Final = re.compile("md|markdown|mdx|rst|txt|adoc|asciidoc|org")
_CONFIGURATION: Final = re.compile(
    "ya?ml|toml|json[5c]?|ini|cfg|conf|cnf|properties|env|lock|plist|tf|tfvars|hcl|mk|gradle"
    "|(?:cs|fs|vb)proj|sln|props|targets|service|timer|editorconfig"
)
_PROSE_NAMES: Final = re.compile(
    r"(?i:readme|license|licence|copying|notice|authors|contributors|contributing|changelog"
    r"|changes|history|news|todo|install|security|maintainers)"
)
_CONFIGURATION_NAMES: Final = re.compile(
    # Every dotfile counts as configuration, whatever language it is written in.
    r"\..+|(?:.+\.)?(?:Docker|Container)file(?:\..+)?|(?:GNU)?[Mm]akefile(?:\..+)?|CMakeLists\.txt"
    r"|(?:Jenkins|Vagrant|Proc|Gem|Brew|Pip|Caddy|Just)file|go\.(?:mod|sum|work)|pom\.xml"
    r"|CODEOWNERS|(?:requirements|constraints)(?:[-_.].*)?\.txt|robots\.txt|MANIFEST\.in"
    r"|build\.gradle\.kts|settings\.gradle\.kts|.+\.config\.[cm]?[jt]s|py\.typed"
)
