"""The documents of a plan that is a directory, read as Markdown."""

import re
from collections.abc import Mapping

from msgspec import Struct

from intent_lsp.formats.plans.markdown_blocks import MarkdownText, markdown_text
from intent_lsp.formats.plans.plain_text import name_of_directory, placeholder, plain
from intent_lsp.formats.plans.proposed_intent import PlanProblem


class PlanTexts(Struct, frozen=True):
    """The documents of the plan in `directory` that are there, by their names."""

    directory: str
    by_name: Mapping[str, MarkdownText]

    def get(self, name: str) -> MarkdownText:
        """Return a document. One that is not there has no blocks."""
        return self.by_name.get(name, MarkdownText(()))

    def path_of(self, name: str) -> str | None:
        """Return the path of a document, or None if it is not there."""
        return f"{self.directory}/{name}" if name in self.by_name else None

    @property
    def problems(self) -> tuple[PlanProblem, ...]:
        """The problems of all the documents."""
        return tuple(problem for text in self.by_name.values() for problem in text.problems)


def plan_texts(directory: str, documents: Mapping[str, str]) -> PlanTexts:
    """Return the documents of the plan in a directory, from their texts by name."""
    read = {name: markdown_text(f"{directory}/{name}", text) for name, text in documents.items()}
    return PlanTexts(directory, read)


def name_of_plan(
    text: MarkdownText,
    directory: str,
    prefix: re.Pattern[str],
    generic: re.Pattern[str] | None = None,
) -> str:
    """Return the title of a document, without the `prefix` with which its template begins it.

    Return the words of `directory`, the last segment of the plan's path, if the document has no
    heading of the first level, if its title is a placeholder, or if `generic` matches all of it.
    """
    title = text.title()
    told = "" if title is None or title.depth > 1 else title.text
    found = prefix.match(told)
    told = told if found is None else told[found.end() :]
    untitled = placeholder(told) or (generic is not None and generic.fullmatch(told.strip()))
    return name_of_directory(directory) if untitled else plain(told)
