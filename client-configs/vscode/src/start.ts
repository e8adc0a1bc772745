/** When the server runs: where a root governs a folder or a file of this window, nowhere else. */

import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { Server } from './server';
import { OWN, SECTION } from './settings';
import { governs, isGoverned } from './surroundings';

const INTENTS_FILES = '**/.orchestration/active_intents.yaml';

/** Start the server where it is wanted, and as soon as it is. */
export function startWhereGoverned(server: Server): vscode.Disposable {
  const watcher = vscode.workspace.createFileSystemWatcher(INTENTS_FILES, false, true, true);
  const parts = [
    watcher,
    watcher.onDidCreate(() => wanted(server)),
    vscode.workspace.onDidOpenTextDocument((document) => isOfRoot(document) && wanted(server)),
    vscode.workspace.onDidChangeWorkspaceFolders(() => isGoverned() && wanted(server)),
    vscode.workspace.onDidChangeConfiguration((event) => configured(server, event)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void begin(server)),
  ];
  // Not waited for: a slow start of the server is no slow start of the editor.
  void begin(server);
  return vscode.Disposable.from(...parts);
}

/** Start a server that does not run, unless the person has switched it off. */
export async function wanted(server: Server): Promise<void> {
  await server.settled();
  if (server.standing.kind === 'off' && isEnabled()) {
    await server.restart();
  }
}

function begin(server: Server): Promise<void> {
  const governed = isGoverned() || vscode.workspace.textDocuments.some(isOfRoot);
  return isEnabled() && governed ? server.restart() : server.stop();
}

function isOfRoot({ uri }: vscode.TextDocument): boolean {
  return uri.scheme === 'file' && governs(dirname(uri.fsPath));
}

function isEnabled(): boolean {
  return vscode.workspace.getConfiguration(SECTION).get<boolean>('enabled', true);
}

function configured(server: Server, event: vscode.ConfigurationChangeEvent): void {
  // The rest is told to the server that runs.
  const anew = [OWN.command, 'enabled'].some((name) =>
    event.affectsConfiguration(`${SECTION}.${name}`),
  );
  if (anew) {
    void begin(server);
  }
}
