/** The commands of the palette and of the views. */

import * as vscode from 'vscode';
import { ensureStarted } from './auto_start';
import { ChangeView, recordIdOf } from './change_view';
import { errorText } from './error_text';
import { ExplainView } from './explain_view';
import { Installer } from './installer';
import { completeIntent, createIntent, selectIntent, setUpFolder } from './intent_commands';
import { LedgerView } from './ledger_view';
import {
  compareWithDisk,
  goToIntent,
  openFile,
  showLines,
  showLocations,
} from './navigation';
import { Draft, Intent, LedgerRecord, ServerCommand } from './protocol';
import { pickDraft, pickIntent } from './quick_picks';
import { RecordPanel } from './record_panel';
import { saveReport, showReport } from './report_panel';
import { Server } from './server';
import { showServerProblem } from './server_problems';
import { TreeNode } from './tree_nodes';
import { WindowState } from './window_state';

export interface CommandContext {
  readonly server: Server;
  readonly installer: Installer;
  readonly windowState: WindowState;
  readonly ledger: LedgerView;
  readonly record: RecordPanel;
  readonly change: ChangeView;
  readonly explanation: ExplainView;
}

/** The function of a command. Menus, keybindings and other callers pass it what they like. */
type CommandCallback = (...args: any[]) => Promise<unknown> | unknown;
type CommandTable = Record<string, CommandCallback>;

/** Register every command. The failure of a command is shown, since a user has called it. */
export function registerCommands(context: CommandContext): vscode.Disposable[] {
  const table = { ...intentCommands(context), ...ledgerCommands(context) };
  const registered = Object.entries(table).map(([name, callback]) =>
    vscode.commands.registerCommand(`intentLsp.${name}`, (...args: unknown[]) =>
      runCommand(context, callback, args),
    ),
  );
  const { server, installer } = context;
  return [
    ...registered,
    vscode.commands.registerCommand('intentLsp.restart', () => server.restart()),
    vscode.commands.registerCommand('intentLsp.showLog', () => server.log.show(true)),
    vscode.commands.registerCommand('intentLsp.whatIsMissing', async () => {
      await ensureStarted(server);
      const { state } = server;
      if (state.kind === 'running') {
        const message = `Intent: nothing is missing: the server ${state.version} runs.`;
        void vscode.window.showInformationMessage(message);
      }
      await showServerProblem(server, installer);
    }),
  ];
}

function intentCommands(context: CommandContext): CommandTable {
  const { server, windowState, explanation } = context;
  return {
    select: (node?: TreeNode | string) => selectIntent(windowState, intentArgument(node)),
    clear: () => windowState.request('clear'),
    create: () => createIntent(windowState),
    complete: (node?: TreeNode) => completeIntent(windowState, node?.intent),
    init: () => setUpFolder(server, windowState),
    explain: (uri?: string) => explanation.show(pathOf(windowState, uri)),
    goToIntent: (id: string | TreeNode) => goToIntent(server, windowState, intentIdOf(id)),
    openFile: (where: string, line?: number) => openFile(windowState, where, line),
    showLocations: (...args: Parameters<typeof showLocations>) => showLocations(...args),
    compareWithDisk: (uri: string) => compareWithDisk(uri),
    showLines: async (node?: TreeNode) => {
      const asked = 'Show the lines of which intent?';
      const intent = node?.intent ?? (await pickIntent(windowState, asked));
      return intent && showLines(server, windowState, intent);
    },
    restoreDraft: () => restoreDraft(server, windowState),
  };
}

function ledgerCommands(context: CommandContext): CommandTable {
  const { server, windowState, ledger, record, change } = context;
  return {
    showRecord: async (id: string, known?: LedgerRecord, uri?: string) => {
      // Where the texts are not kept, or belong to another root, the record's hashes are shown.
      const isShown = await change.show(id).catch(() => false);
      if (!isShown) {
        await record.show(id, known, uri);
      }
    },
    showDetails: (side: vscode.Uri) => {
      const id = recordIdOf(side);
      return id === undefined ? undefined : record.show(id);
    },
    report: () => showReport(server, windowState),
    saveReport: () => saveReport(server, windowState),
    verify: async () => {
      await vscode.commands.executeCommand('intentLsp.ledger.focus');
      const progress = { location: { viewId: 'intentLsp.ledger' } };
      return vscode.window.withProgress(progress, () => ledger.verify());
    },
    'ledger.more': () => ledger.showMore(),
    'ledger.refresh': () => windowState.refresh(),
    'ledger.ofIntent': async (node?: TreeNode | string) => {
      const title = 'Show the records of which intent?';
      // A code lens passes the id.
      const given = typeof node === 'string' ? node : node?.intent?.id;
      const intentId = given ?? (await pickIntent(windowState, title))?.id;
      if (intentId !== undefined) {
        ledger.setFilter({ intentId });
        await vscode.commands.executeCommand('intentLsp.ledger.focus');
      }
    },
    'ledger.ofFile': async () => {
      ledger.setFilter({ path: pathOf(windowState) });
      await vscode.commands.executeCommand('intentLsp.ledger.focus');
    },
    'ledger.all': () => ledger.setFilter({}),
  };
}

/** Run a command once the server runs; if it cannot run, show what is wrong with it. */
async function runCommand(
  { server, installer }: CommandContext,
  callback: CommandCallback,
  args: readonly unknown[],
): Promise<unknown> {
  await ensureStarted(server);
  if (server.state.kind !== 'running') {
    await showServerProblem(server, installer);
    return undefined;
  }
  try {
    return await callback(...args);
  } catch (error) {
    void vscode.window.showErrorMessage(`Intent: ${errorText(error)}`);
    return undefined;
  }
}

async function restoreDraft(server: Server, windowState: WindowState): Promise<void> {
  const { drafts } = await windowState.request<{ readonly drafts: readonly Draft[] }>('drafts');
  if (drafts.length === 0) {
    void vscode.window.showInformationMessage('Intent: there is no refused text to restore.');
    return;
  }
  const draft = await pickDraft(drafts);
  if (draft) {
    const command: ServerCommand = 'intent.restoreDraft';
    const argument = { id: draft.id, workspaceUri: windowState.root?.toString() };
    await server.request('workspace/executeCommand', { command, arguments: [argument] });
  }
}

/** Return the path below the root of a file, of the active editor's file if none is given. */
function pathOf(windowState: WindowState, fileUri?: string): string {
  const { root } = windowState;
  const active = vscode.window.activeTextEditor?.document.uri;
  // A keybinding passes no URI, and a menu may pass something else.
  const uri = typeof fileUri === 'string' ? vscode.Uri.parse(fileUri) : active;
  if (!root || uri?.scheme !== 'file' || !uri.path.startsWith(`${root.path}/`)) {
    throw new Error('open a file of a governed workspace first');
  }
  return uri.path.slice(root.path.length + 1);
}

function intentArgument(node: TreeNode | string | undefined): Intent | string | undefined {
  return typeof node === 'string' ? node : node?.intent;
}

function intentIdOf(id: string | TreeNode): string {
  return typeof id === 'string' ? id : id.intent?.id ?? '';
}
