"""The table of what answers each request by its LSP method, and each command by its name."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from lsprotocol import types as lsp

from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.features.actions.code_actions import CodeActions
from intent_lsp.doors.lsp.features.completion import CompletionFeature
from intent_lsp.doors.lsp.features.formatting import FormattingFeature
from intent_lsp.doors.lsp.features.intent_symbols import IntentSymbols
from intent_lsp.doors.lsp.features.intents_buffers import IntentsBuffers
from intent_lsp.doors.lsp.features.intents_links import IntentsLinks, links
from intent_lsp.doors.lsp.features.intents_names import IntentsNames
from intent_lsp.doors.lsp.features.intents_outline import (
    folding,
    selections,
    symbol_list,
    symbol_tree,
)
from intent_lsp.doors.lsp.features.intents_tokens import all_tokens, tokens_within
from intent_lsp.doors.lsp.features.provenance import ProvenanceFeature
from intent_lsp.doors.lsp.features.refusal_prompts import RefusalPrompts
from intent_lsp.doors.lsp.features.text_contents import TextContents
from intent_lsp.doors.lsp.protocol.protocol import IntentProtocol
from intent_lsp.doors.lsp.requests.commands import Commands
from intent_lsp.doors.lsp.requests.request_table import RequestTable
from intent_lsp.doors.lsp.wire.names import CommandName, RequestName

Handler = Callable[[Any], Awaitable[Any]]
"""Answers a request with the given params, or runs a command with the given argument or None."""


def feature_handlers(
    connection: Connection,
    protocol: IntentProtocol,
    buffers: IntentsBuffers,
    contents: TextContents,
    formatting: FormattingFeature,
) -> Mapping[str, Handler]:
    """Return what answers LSP's requests about texts and symbols, by their method.

    Those for diagnostics, saves, file operations and commands are not among them.
    """
    actions = CodeActions(connection)
    provenance = ProvenanceFeature(connection, buffers)
    names = IntentsNames(connection, buffers, protocol.documents)
    symbols = IntentSymbols(connection, buffers, names)
    targets = IntentsLinks(connection, buffers)
    completion = CompletionFeature(connection, protocol.documents)
    outline = symbol_tree if connection.client.symbol_trees else symbol_list
    return {
        lsp.TEXT_DOCUMENT_HOVER: provenance.hover,
        lsp.TEXT_DOCUMENT_CODE_LENS: provenance.code_lenses,
        lsp.CODE_LENS_RESOLVE: provenance.intents_lenses.resolved,
        lsp.TEXT_DOCUMENT_INLAY_HINT: provenance.inlay_hints,
        lsp.TEXT_DOCUMENT_REFERENCES: symbols.references,
        lsp.WORKSPACE_SYMBOL: symbols.symbols,
        lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL: buffers.answering(outline),
        lsp.TEXT_DOCUMENT_FOLDING_RANGE: buffers.answering(folding),
        lsp.TEXT_DOCUMENT_SELECTION_RANGE: buffers.answering(selections),
        lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: buffers.answering(all_tokens),
        lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE: buffers.answering(tokens_within),
        lsp.TEXT_DOCUMENT_DOCUMENT_LINK: buffers.answering(links),
        lsp.DOCUMENT_LINK_RESOLVE: targets.resolved,
        lsp.TEXT_DOCUMENT_DEFINITION: targets.definition,
        lsp.TEXT_DOCUMENT_RENAME: names.renamed,
        lsp.TEXT_DOCUMENT_PREPARE_RENAME: names.prepared,
        lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: names.highlights,
        lsp.TEXT_DOCUMENT_FORMATTING: formatting.document,
        lsp.TEXT_DOCUMENT_RANGE_FORMATTING: formatting.within,
        lsp.TEXT_DOCUMENT_COMPLETION: completion.completion,
        lsp.COMPLETION_ITEM_RESOLVE: completion.resolve,
        lsp.TEXT_DOCUMENT_CODE_ACTION: actions.answered,
        lsp.CODE_ACTION_RESOLVE: actions.reverts.resolved,
        lsp.WORKSPACE_TEXT_DOCUMENT_CONTENT: contents.content,
    }


def intent_handlers(
    connection: Connection, buffers: IntentsBuffers, offers: RefusalPrompts
) -> Mapping[str, Handler]:
    """Return what answers the requests `intent/*` and runs the commands `intent.*`, by name."""
    requests = RequestTable(connection)
    commands = Commands(connection, requests, offers, buffers)
    return {
        **{f"intent/{name}": partial(requests.answer, name) for name in RequestName},
        **{f"intent.{name}": partial(commands.run, name) for name in (*RequestName, *CommandName)},
    }
