"""The client's capabilities that this server uses, read once at `initialize` (protocol section 4).

Invariant: a capability that is not declared counts as absent.
"""

from collections.abc import Mapping

from lsprotocol import types as lsp
from msgspec import Struct


class CompletionClient(Struct, frozen=True, kw_only=True):
    """What one client can do with completions.

    `registration`: completion may be registered for some files alone. `snippets`: it inserts
    snippets. `replaces`: it lets a person choose whether the rest of a word is replaced.
    `markdown`: it shows Markdown. `adjusts`: it can indent the further lines of an inserted text
    like the first line. `as_is`: it can insert the further lines as they are.
    """

    registration: bool = False
    snippets: bool = False
    replaces: bool = False
    markdown: bool = False
    adjusts: bool = False
    as_is: bool = False


class ClientCapabilities(Struct, frozen=True, kw_only=True):
    """The capabilities, declared by one client, that change what this server sends to it.

    A flag is False, and a command None, for a capability that the client does not declare.
    `pull`: it pulls diagnostics, and can be asked to pull them again. No diagnostics are pushed to
    such a client, because it would show each of them twice. `reads_markup`: it accepts Markdown in
    the messages of diagnostics that it pulls; with `markup_messages` it is sent such messages.
    `markdown`: hovers may be Markdown. `questions`: it declares that it can ask the person a
    question. `lens_refresh` and `hint_refresh`: it can be asked to request lenses and hints again.
    `notifications`: it wants the notifications `intent/*`.
    `shows_status`: it shows the selected intent by itself. `record_command` is its command that
    shows a record, `records_command` the one that lists the records of an intent,
    `locations_command` the one that lists locations, and `compare_command` the one that shows a
    document beside its file on disk. `preferred_actions`: it knows preferred code actions.
    `shows_documentation`: it offers a page about code actions, and can open one. `resolves_edits`:
    it asks for the edit of an action when the person chooses it. `text_contents`: it fetches the
    read-only documents of this server. `symbol_trees`: it takes nested symbols of a document.
    `definition_links`: it takes links as definitions. `link_tooltips`: it shows tooltips of links
    in a document. `tokens`: it shows semantic tokens. `prepares_renames`: it asks what is renamed
    before it asks the person for the new name.

    With `token_registration`, `format_registration`, `range_format_registration`,
    `rename_registration` or `highlight_registration`, that feature may be registered for some files
    alone.
    """

    pull: bool = False
    reads_markup: bool = False
    markup_messages: bool = False
    related_information: bool = False
    code_description: bool = False
    diagnostic_data: bool = False
    document_changes: bool = False
    delete_files: bool = False
    configuration: bool = False
    watch_registration: bool = False
    show_document: bool = False
    progress: bool = False
    notifications: bool = False
    shows_status: bool = False
    record_command: str | None = None
    records_command: str | None = None
    locations_command: str | None = None
    compare_command: str | None = None
    preferred_actions: bool = False
    shows_documentation: bool = False
    resolves_edits: bool = False
    text_contents: bool = False
    markdown: bool = False
    questions: bool = False
    lens_refresh: bool = False
    hint_refresh: bool = False
    symbol_trees: bool = False
    definition_links: bool = False
    link_tooltips: bool = False
    tokens: bool = False
    token_registration: bool = False
    format_registration: bool = False
    range_format_registration: bool = False
    rename_registration: bool = False
    highlight_registration: bool = False
    prepares_renames: bool = False
    completion: CompletionClient = CompletionClient()


def client_of(capabilities: lsp.ClientCapabilities) -> ClientCapabilities:
    """Return the `ClientCapabilities` for the capabilities in an `initialize` request."""
    shown = capabilities.text_document or lsp.TextDocumentClientCapabilities()
    workspace = capabilities.workspace or lsp.WorkspaceClientCapabilities()
    window = capabilities.window or lsp.WindowClientCapabilities()
    push, actions, symbols = shown.publish_diagnostics, shown.code_action, shown.document_symbol
    hover, edit, experimental = shown.hover, workspace.workspace_edit, capabilities.experimental
    pull = bool(shown.diagnostic and member(workspace.diagnostics, "refresh_support"))
    # lsprotocol does not know it: `protocol.structuring` reads it.
    reads_markup = member(shown.diagnostic, "markup_message_support") is True
    opens = bool(window.show_document and window.show_document.support)
    return ClientCapabilities(
        pull=pull,
        reads_markup=reads_markup,
        markup_messages=pull and reads_markup,
        related_information=bool(push and push.related_information),
        code_description=bool(push and push.code_description_support),
        diagnostic_data=bool(push and push.data_support),
        document_changes=bool(edit and edit.document_changes),
        delete_files=_can_delete(edit),
        configuration=bool(workspace.configuration),
        watch_registration=_registers(workspace.did_change_watched_files),
        show_document=opens,
        progress=bool(window.work_done_progress),
        notifications=_says(experimental, "notifications"),
        shows_status=_says(experimental, "status"),
        record_command=_command(experimental, "recordCommand"),
        records_command=_command(experimental, "recordsCommand"),
        locations_command=_command(experimental, "locationsCommand"),
        compare_command=_command(experimental, "compareCommand"),
        preferred_actions=bool(actions and actions.is_preferred_support),
        shows_documentation=bool(opens and actions and actions.documentation_support),
        resolves_edits=_resolves_edits(actions),
        text_contents=workspace.text_document_content is not None,
        markdown=lsp.MarkupKind.Markdown in ((hover and hover.content_format) or ()),
        questions=window.show_message is not None,
        lens_refresh=bool(workspace.code_lens and workspace.code_lens.refresh_support),
        hint_refresh=bool(workspace.inlay_hint and workspace.inlay_hint.refresh_support),
        symbol_trees=bool(symbols and symbols.hierarchical_document_symbol_support),
        definition_links=bool(shown.definition and shown.definition.link_support),
        link_tooltips=bool(shown.document_link and shown.document_link.tooltip_support),
        tokens=shown.semantic_tokens is not None,
        token_registration=_registers(shown.semantic_tokens),
        format_registration=_registers(shown.formatting),
        range_format_registration=_registers(shown.range_formatting),
        rename_registration=_registers(shown.rename),
        highlight_registration=_registers(shown.document_highlight),
        prepares_renames=bool(shown.rename and shown.rename.prepare_support),
        completion=_completion(shown.completion),
    )


def _completion(told: lsp.CompletionClientCapabilities | None) -> CompletionClient:
    item = (told and told.completion_item) or lsp.ClientCompletionItemOptions()
    modes = item.insert_text_mode_support.value_set if item.insert_text_mode_support else ()
    return CompletionClient(
        registration=_registers(told),
        snippets=bool(item.snippet_support),
        replaces=bool(item.insert_replace_support),
        markdown=lsp.MarkupKind.Markdown in (item.documentation_format or ()),
        adjusts=lsp.InsertTextMode.AdjustIndentation in modes,
        as_is=lsp.InsertTextMode.AsIs in modes,
    )


def _resolves_edits(actions: lsp.CodeActionClientCapabilities | None) -> bool:
    """Return whether the client asks for the edits of code actions, and returns their data."""
    resolved = actions.resolve_support if actions and actions.data_support else None
    return bool(resolved and "edit" in (resolved.properties or ()))


def _registers(declared: object) -> bool:
    """Return whether the client lets the server register the feature `declared` later.

    `declared` is the part of the client's capabilities that is about the feature.
    """
    return bool(member(declared, "dynamic_registration"))


def _can_delete(edit: lsp.WorkspaceEditClientCapabilities | None) -> bool:
    """Return whether the client declares both document changes and the deletion of files."""
    able = edit.resource_operations if edit and edit.document_changes else None
    return lsp.ResourceOperationKind.Delete in (able or ())


def _says(experimental: object, name: str) -> bool:
    """Return whether `experimental.intent.NAME` in the client's capabilities is exactly true."""
    return member(member(experimental, "intent"), name) is True


def _command(experimental: object, name: str) -> str | None:
    """Return the client command that the client's capability `experimental.intent.NAME` names.

    Return None if the capability is missing, or if the command's name has other characters than
    letters, digits and dots.
    """
    told = member(member(experimental, "intent"), name)
    return told if isinstance(told, str) and told.replace(".", "").isalnum() else None


def member(value: object, name: str) -> object:
    """Return the member `name` of a free-form object that a client sent, or None if it is missing.

    `value` may be any value: one that is no object has no members.
    """
    # lsprotocol leaves free-form objects as they came: mappings, or pygls's named tuples.
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
