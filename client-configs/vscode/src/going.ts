/** The ways to files and to intents: what a click on a node opens. */

import * as vscode from 'vscode';
import type { WorkspaceSymbol } from 'vscode-languageclient/node';
import { Outlook } from './outlook';
import { Server } from './server';
import { Intent, IntentLines } from './wire';

/** Open a file by its URI, or by its path below the root; a line counts from 0. */
export async function openFile(outlook: Outlook, where: string, line?: number): Promise<void> {
  const uri = where.startsWith('file:') ? vscode.Uri.parse(where) : below(outlook, where);
  const at = line === undefined ? undefined : new vscode.Range(line, 0, line, 0);
  await vscode.window.showTextDocument(uri, at ? { selection: at } : {});
}

/** Open the intents file at an intent. */
export async function goToIntent(server: Server, outlook: Outlook, id: string): Promise<void> {
  const found = await server.ask<WorkspaceSymbol[] | null>('workspace/symbol', { query: id });
  const root = outlook.root?.toString();
  const symbol = (found ?? []).find(
    ({ name, location }) =>
      (name === id || name.startsWith(`${id}: `)) && root !== undefined
      && location.uri.startsWith(`${root}/`),
  );
  if (!symbol || !('range' in symbol.location)) {
    await openFile(outlook, '.orchestration/active_intents.yaml');
    return;
  }
  const { start } = symbol.location.range;
  await openFile(outlook, symbol.location.uri, start.line);
}

/** Show every line that comes from an intent, beside the intents file. */
export async function showLines(server: Server, outlook: Outlook, intent: Intent): Promise<void> {
  const found = await outlook.ask<IntentLines>('lines', { intentId: intent.id });
  const places = found.files.flatMap(({ uri, lines }) =>
    lines.map(
      ({ startLine, endLine }) =>
        new vscode.Location(
          vscode.Uri.parse(uri),
          new vscode.Range(startLine - 1, 0, endLine - 1, Number.MAX_SAFE_INTEGER),
        ),
    ),
  );
  await goToIntent(server, outlook, intent.id);
  const editor = vscode.window.activeTextEditor;
  if (editor) {
    const { document, selection } = editor;
    await vscode.commands.executeCommand(
      'editor.action.showReferences',
      document.uri,
      selection.active,
      places,
    );
  }
}

function below(outlook: Outlook, path: string): vscode.Uri {
  const { root } = outlook;
  if (!root) {
    throw new Error('this workspace is not governed');
  }
  return vscode.Uri.joinPath(root, path);
}
