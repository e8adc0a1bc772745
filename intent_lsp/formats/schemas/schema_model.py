"""The base of the models, and the kinds of values that more than one of them has.

Invariant: titles and descriptions of keys come from the tables of formats/key_texts, and a key
without a text fails when the schema is made.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

from intent_lsp.formats.key_texts.key_text import KeyText

SchemaObject: TypeAlias = dict[str, Any]
"""An object of JSON."""

_T = TypeVar("_T")


def _with_texts(schema: SchemaObject, model: type["SchemaModel"]) -> None:
    """Put the texts of the model's keys and the model's own rules into its JSON Schema."""
    for name, value in schema.get("properties", {}).items():
        text = model.texts[name]
        value |= {"title": text.title, "description": text.description}
    model.add_rules(schema)


class SchemaModel(BaseModel):
    """The base class of the models: strict about types, and by default closed to unknown keys.

    `texts` holds the text about each key.
    """

    model_config = ConfigDict(strict=True, extra="forbid", json_schema_extra=_with_texts)
    texts: ClassVar[Mapping[str, KeyText]]

    @classmethod
    def add_rules(cls, schema: SchemaObject) -> None:
        """Add to the model's JSON Schema what its types cannot express; nothing by default."""


SourceText: TypeAlias = str | int | float | bool
"""A single value that is read as its source text, whatever YAML makes of it."""


class ExactWords:
    """Marks a text that is one of a few words. `meanings` maps each word to a sentence."""

    def __init__(self, meanings: Mapping[str, str]) -> None:
        self._meanings = {str(word): meaning for word, meaning in meanings.items()}

    def __get_pydantic_core_schema__(self, _: object, __: GetCoreSchemaHandler) -> CoreSchema:
        """Return what validates a value: one of the words."""
        return core_schema.literal_schema(list(self._meanings))

    def __get_pydantic_json_schema__(self, _: CoreSchema, __: GetJsonSchemaHandler) -> SchemaObject:
        """Return the JSON Schema: each word with its meaning."""
        return {"anyOf": self.words()}

    def words(self) -> list[SchemaObject]:
        """Return a JSON Schema for each word."""
        return [{"const": word, "description": meaning} for word, meaning in self._meanings.items()]


class AnySpelling(ExactWords):
    """Marks a text that is one of a few words in any spelling that the server reads.

    Letter case and outer white space do not count, and with `hyphens` a `-` is read as `_`.
    `others` are words that are read too, such as older ones, and have no meaning of their own.
    """

    def __init__(
        self, meanings: Mapping[str, str], others: Iterable[str] = (), *, hyphens: bool = False
    ) -> None:
        super().__init__(meanings)
        spellings = [any_case(word) for word in (*meanings, *others)]
        if hyphens:
            spellings = [spelling.replace("_", "[_-]") for spelling in spellings]
        self.pattern = rf"^\s*({'|'.join(spellings)})\s*$"

    def __get_pydantic_core_schema__(self, _: object, __: GetCoreSchemaHandler) -> CoreSchema:
        """Return what validates a value: a text that matches the pattern."""
        return core_schema.str_schema(strict=True, pattern=self.pattern)

    def __get_pydantic_json_schema__(self, _: CoreSchema, __: GetJsonSchemaHandler) -> SchemaObject:
        """Return the JSON Schema: each word with its meaning, then any spelling of them."""
        return {"anyOf": [*self.words(), {"type": "string", "pattern": self.pattern}]}


def any_case(word: str) -> str:
    """Return a regular expression for a word in any letter case.

    It has no flags, so that it means the same in every dialect of regular expressions.
    """
    return "".join(f"[{each.upper()}{each.lower()}]" if each.isalpha() else each for each in word)


class _NotNull:
    """Marks a key that may be absent, but not null."""

    def __get_pydantic_core_schema__(
        self,
        source: Any,  # noqa: ANN401 -- a type, or what stands for one
        handler: GetCoreSchemaHandler,
    ) -> CoreSchema:
        """Return what validates the value of a key that is present: the schema without null."""
        nullable: Any = handler(source)
        inner: CoreSchema = nullable["schema"]
        return inner


OrAbsent: TypeAlias = Annotated[_T | None, _NotNull()]
"""The value of a key that may be absent, which the model holds as None, but not null."""
