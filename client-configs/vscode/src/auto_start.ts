/** The automatic start of the server, in a window that has a governed folder or file. */

import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { isGoverned, isGovernedDirectory } from './environment';
import { Server } from './server';
import { EXTENSION_SETTINGS, SECTION } from './settings';

const INTENTS_FILES = '**/.orchestration/active_intents.yaml';

/** Start the server as soon as a folder or an open file is governed. */
export function startWhereGoverned(server: Server): vscode.Disposable {
  const watcher = vscode.workspace.createFileSystemWatcher(INTENTS_FILES, false, true, true);
  const disposables = [
    watcher,
    watcher.onDidCreate(() => ensureStarted(server)),
    vscode.workspace.onDidOpenTextDocument(
      (document) => isGovernedFile(document) && ensureStarted(server),
    ),
    vscode.workspace.onDidChangeWorkspaceFolders(() => isGoverned() && ensureStarted(server)),
    vscode.workspace.onDidChangeConfiguration((event) => onConfigurationChange(server, event)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void startOrStop(server)),
  ];
  // Not awaited: the start of the editor does not wait for the start of the server.
  void startOrStop(server);
  return vscode.Disposable.from(...disposables);
}

/** Start the server if it is off, unless the setting `intentLsp.enabled` is false. */
export async function ensureStarted(server: Server): Promise<void> {
  await server.settled();
  if (server.state.kind === 'off' && isEnabled()) {
    await server.restart();
  }
}

function startOrStop(server: Server): Promise<void> {
  const governed = isGoverned() || vscode.workspace.textDocuments.some(isGovernedFile);
  return isEnabled() && governed ? server.restart() : server.stop();
}

function isGovernedFile({ uri }: vscode.TextDocument): boolean {
  return uri.scheme === 'file' && isGovernedDirectory(dirname(uri.fsPath));
}

function isEnabled(): boolean {
  return vscode.workspace.getConfiguration(SECTION).get<boolean>('enabled', true);
}

function onConfigurationChange(server: Server, event: vscode.ConfigurationChangeEvent): void {
  // Of other settings the language client notifies the running server.
  const needsRestart = [EXTENSION_SETTINGS.command, 'enabled'].some((name) =>
    event.affectsConfiguration(`${SECTION}.${name}`),
  );
  if (needsRestart) {
    void startOrStop(server);
  }
}
