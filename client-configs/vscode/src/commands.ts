/** The commands of the palette and of the views, each in terms of the server's requests. */

import * as vscode from 'vscode';
import { ChangeView, recordOf } from './change_view';
import { pickDraft, pickIntent } from './choosing';
import { explain as explainServer } from './complaints';
import { ExplainView } from './explain_view';
import { goToIntent, openFile, showLines } from './going';
import { Installer } from './installer';
import { LedgerView } from './ledger_view';
import { Node } from './nodes';
import { Outlook } from './outlook';
import { completeIntent, createIntent, selectIntent, setUp } from './plan';
import { RecordPanel } from './record_panel';
import { saveReport, showReport } from './report_panel';
import { said } from './said';
import { Server } from './server';
import { wanted } from './start';
import { Draft, Intent, LedgerRecord, ServerCommand } from './wire';

export interface Parts {
  readonly server: Server;
  readonly installer: Installer;
  readonly outlook: Outlook;
  readonly ledger: LedgerView;
  readonly record: RecordPanel;
  readonly change: ChangeView;
  readonly explanation: ExplainView;
}

/** A command gets whatever a caller, a menu or a keybinding gives it. */
type Run = (...given: any[]) => Promise<unknown> | unknown;

/** Register every command; one that fails says so, as somebody has asked for it. */
export function registerCommands(parts: Parts): vscode.Disposable[] {
  const table = { ...planCommands(parts), ...ledgerCommands(parts) };
  const asking = Object.entries(table).map(([name, run]) =>
    vscode.commands.registerCommand(`intentLsp.${name}`, (...given: unknown[]) =>
      told(parts, run, given),
    ),
  );
  const { server, installer } = parts;
  return [
    ...asking,
    vscode.commands.registerCommand('intentLsp.restart', () => server.restart()),
    vscode.commands.registerCommand('intentLsp.showLog', () => server.log.show(true)),
    vscode.commands.registerCommand('intentLsp.whatIsMissing', async () => {
      await wanted(server);
      const { standing } = server;
      if (standing.kind === 'running') {
        const said = `Intent: nothing is missing: the server ${standing.version} runs.`;
        void vscode.window.showInformationMessage(said);
      }
      await explainServer(server, installer);
    }),
  ];
}

function planCommands({ server, outlook, explanation }: Parts): Record<string, Run> {
  return {
    select: (node?: Node | string) => selectIntent(outlook, intentOf(node)),
    clear: () => outlook.ask('clear'),
    create: () => createIntent(outlook),
    complete: (node?: Node) => completeIntent(outlook, node?.intent),
    init: () => setUp(server, outlook),
    explain: (uri?: string) => explanation.show(pathOf(outlook, uri)),
    goToIntent: (id: string | Node) => goToIntent(server, outlook, idOf(id)),
    openFile: (where: string, line?: number) => openFile(outlook, where, line),
    showLines: async (node?: Node) => {
      const intent = node?.intent ?? (await pickIntent(outlook, 'The lines of which intent?'));
      return intent && showLines(server, outlook, intent);
    },
    restoreDraft: () => restoreDraft(server, outlook),
  };
}

function ledgerCommands({ server, outlook, ledger, record, change }: Parts): Record<string, Run> {
  return {
    showRecord: async (id: string, given?: LedgerRecord, uri?: string) => {
      // Of what is kept no more, or known to another root, there are hashes still.
      const shown = await change.show(id).catch(() => false);
      if (!shown) {
        await record.show(id, given, uri);
      }
    },
    showDetails: (side: vscode.Uri) => {
      const id = recordOf(side);
      return id === undefined ? undefined : record.show(id);
    },
    report: () => showReport(server, outlook),
    saveReport: () => saveReport(server, outlook),
    verify: async () => {
      await vscode.commands.executeCommand('intentLsp.ledger.focus');
      const verifying = { location: { viewId: 'intentLsp.ledger' } };
      return vscode.window.withProgress(verifying, () => ledger.verify());
    },
    'ledger.more': () => ledger.more(),
    'ledger.refresh': () => outlook.look(),
    'ledger.ofIntent': async (node?: Node) => {
      const intent = node?.intent ?? (await pickIntent(outlook, 'The records of which intent?'));
      if (intent) {
        ledger.narrow({ intentId: intent.id });
        await vscode.commands.executeCommand('intentLsp.ledger.focus');
      }
    },
    'ledger.ofFile': async () => {
      ledger.narrow({ path: pathOf(outlook) });
      await vscode.commands.executeCommand('intentLsp.ledger.focus');
    },
    'ledger.all': () => ledger.narrow({}),
  };
}

async function told(
  { server, installer }: Parts,
  run: Run,
  given: readonly unknown[],
): Promise<unknown> {
  await wanted(server);
  if (server.standing.kind !== 'running') {
    await explainServer(server, installer);
    return undefined;
  }
  try {
    return await run(...given);
  } catch (error) {
    void vscode.window.showErrorMessage(`Intent: ${said(error)}`);
    return undefined;
  }
}

async function restoreDraft(server: Server, outlook: Outlook): Promise<void> {
  const { drafts } = await outlook.ask<{ readonly drafts: readonly Draft[] }>('drafts');
  if (drafts.length === 0) {
    void vscode.window.showInformationMessage('Intent: there is no refused text to restore.');
    return;
  }
  const draft = await pickDraft(drafts);
  if (draft) {
    const command: ServerCommand = 'intent.restoreDraft';
    const where = { id: draft.id, workspaceUri: outlook.root?.toString() };
    await server.ask('workspace/executeCommand', { command, arguments: [where] });
  }
}

/** Give a file's path below the root, the active editor's if none is named. */
function pathOf(outlook: Outlook, named?: string): string {
  const { root } = outlook;
  const active = vscode.window.activeTextEditor?.document.uri;
  const uri = typeof named === 'string' ? vscode.Uri.parse(named) : active;
  if (!root || uri?.scheme !== 'file' || !uri.path.startsWith(`${root.path}/`)) {
    throw new Error('open a file of the governed workspace first');
  }
  return uri.path.slice(root.path.length + 1);
}

function intentOf(node: Node | string | undefined): Intent | string | undefined {
  return typeof node === 'string' ? node : node?.intent;
}

function idOf(id: string | Node): string {
  return typeof id === 'string' ? id : id.intent?.id ?? '';
}
