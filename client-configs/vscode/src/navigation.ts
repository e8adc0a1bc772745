/** Navigation to files, to their versions on disk, to intents, and to the lines of an intent. */

import * as vscode from 'vscode';
import type { Location, Position, WorkspaceSymbol } from 'vscode-languageclient/node';
import { Intent, IntentLines } from './protocol';
import { Server } from './server';
import { WindowState } from './window_state';

/** Open a file, given its URI or its path below the root, at a line that counts from 0. */
export async function openFile(
  windowState: WindowState,
  file: string,
  line?: number,
): Promise<void> {
  const uri = file.startsWith('file:') ? vscode.Uri.parse(file) : uriBelowRoot(windowState, file);
  const range = line === undefined ? undefined : new vscode.Range(line, 0, line, 0);
  await vscode.window.showTextDocument(uri, range ? { selection: range } : {});
}

/** Show the text of an open file beside the one on disk, in the editor's own diff. */
export async function compareWithDisk(uri: string): Promise<void> {
  const file = vscode.Uri.parse(uri);
  await vscode.commands.executeCommand('workbench.files.action.compareWithSaved', file);
}

/** Open the intents file at an intent, or at its beginning if the intent is not found. */
export async function goToIntent(
  server: Server,
  windowState: WindowState,
  id: string,
): Promise<void> {
  const found = await server.request<WorkspaceSymbol[] | null>('workspace/symbol', { query: id });
  const root = windowState.root?.toString();
  const symbol = (found ?? []).find(
    ({ name, location }) =>
      (name === id || name.startsWith(`${id}: `)) && root !== undefined
      && location.uri.startsWith(`${root}/`),
  );
  if (!symbol || !('range' in symbol.location)) {
    await openFile(windowState, '.orchestration/active_intents.yaml');
    return;
  }
  const { start } = symbol.location.range;
  await openFile(windowState, symbol.location.uri, start.line);
}

/** Show every line that comes from an intent, in a peek view over the intents file. */
export async function showLines(
  server: Server,
  windowState: WindowState,
  intent: Intent,
): Promise<void> {
  const found = await windowState.request<IntentLines>('lines', { intentId: intent.id });
  const locations = found.files.flatMap(({ uri, lines }) =>
    lines.map(
      ({ startLine, endLine }) =>
        new vscode.Location(
          vscode.Uri.parse(uri),
          new vscode.Range(startLine - 1, 0, endLine - 1, Number.MAX_SAFE_INTEGER),
        ),
    ),
  );
  await goToIntent(server, windowState, intent.id);
  const editor = vscode.window.activeTextEditor;
  if (editor) {
    const { document, selection } = editor;
    await vscode.commands.executeCommand(
      'editor.action.showReferences',
      document.uri,
      selection.active,
      locations,
    );
  }
}

/** Show locations that the server has sent, in a peek view at a place of a document. */
export async function showLocations(
  uri: string,
  position: Position,
  locations: readonly Location[],
): Promise<void> {
  await vscode.commands.executeCommand(
    'editor.action.showReferences',
    vscode.Uri.parse(uri),
    new vscode.Position(position.line, position.character),
    locations.map(({ uri: target, range: { start, end } }) => {
      const range = new vscode.Range(start.line, start.character, end.line, end.character);
      return new vscode.Location(vscode.Uri.parse(target), range);
    }),
  );
}

function uriBelowRoot(windowState: WindowState, path: string): vscode.Uri {
  const { root } = windowState;
  if (!root) {
    throw new Error('there is no intents file here; Intent: Set Up This Folder creates one');
  }
  return vscode.Uri.joinPath(root, path);
}
