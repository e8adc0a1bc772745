"""The texts about what is proposed: those about keys and their words, found by name."""

from intent_lsp.formats.intents.completion.proposal import TextName
from intent_lsp.formats.intents.completion.shapes import TABLES
from intent_lsp.formats.key_texts.key_text import KeyText


def text_about(name: TextName) -> KeyText | None:
    """Return the text about a key, or about one of its words, or None if there is none.

    The text about a word has the word as its title.
    """
    table = TABLES.get(name.table)
    text = None if table is None else table.texts.get(name.key)
    if text is None or not name.word:
        return text
    about = text.words.get(name.word)
    return None if about is None else KeyText(name.word, about)
