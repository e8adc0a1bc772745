/** The commands that change intents: create, complete and select one, and set a folder up. */

import * as vscode from 'vscode';
import { localFolders } from './environment';
import { splitGlobs } from './globs';
import { Intent } from './protocol';
import { pickIntent, showIntentPicker } from './quick_picks';
import { Server } from './server';
import { WindowState } from './window_state';

interface CreateResult {
  readonly approved: boolean;
  readonly intent?: Intent;
  readonly feedback?: string;
}

/** Ask for a name and for globs, then create the intent and select it. */
export async function createIntent(windowState: WindowState): Promise<void> {
  const name = await vscode.window.showInputBox({
    title: 'Create an intent (1/2)',
    prompt: 'What is being worked on?',
    placeHolder: 'For example: Login by token',
    ignoreFocusOut: true,
  });
  if (name === undefined || name.trim() === '') {
    return;
  }
  const globs = await vscode.window.showInputBox({
    title: 'Create an intent (2/2)',
    prompt: 'Which files may it change? Globs from the governed folder, separated by commas.',
    value: suggestedGlob(windowState),
    ignoreFocusOut: true,
  });
  const ownedScope = splitGlobs(globs ?? '');
  if (ownedScope.length === 0) {
    return;
  }
  const params = { name: name.trim(), ownedScope };
  const created = await windowState.request<CreateResult>('create', params);
  if (!created.intent) {
    throw new Error(created.feedback ?? 'nobody approved the intent, so it was not created');
  }
  await windowState.request('select', { intentId: created.intent.id });
}

/** Complete an intent, or let the user choose one. */
export async function completeIntent(windowState: WindowState, given?: Intent): Promise<void> {
  const intent = given ?? (await pickIntent(windowState, 'Which intent is done?'));
  if (intent) {
    await windowState.request('complete', { intentId: intent.id });
    await windowState.refresh();
  }
}

/** Select an intent, given itself or by its id, or let the user choose one. */
export async function selectIntent(
  windowState: WindowState,
  given?: Intent | string,
): Promise<void> {
  if (given === undefined) {
    await showIntentPicker(windowState);
    return;
  }
  const intentId = typeof given === 'string' ? given : given.id;
  await windowState.request('select', { intentId });
}

const SET_UP_MESSAGE =
  'Intent: this folder is set up. Edit a file: the quick fix on a marked line creates an intent '
  + 'for it.';
const OPEN_FILE = 'Open the Intents File';

/** Create the governance files in a folder, and show what comes next.
 *
 * The intents file is opened, but not over a file of the folder that is being edited.
 */
export async function setUpFolder(server: Server, windowState: WindowState): Promise<void> {
  const folders = localFolders();
  const [only] = folders;
  if (!only) {
    throw new Error('open a folder first');
  }
  const folder = folders.length > 1 ? await vscode.window.showWorkspaceFolderPick() : only;
  if (!folder) {
    return;
  }
  await server.request('intent/init', { workspaceUri: folder.uri.toString() });
  await windowState.refresh();
  const file = vscode.Uri.joinPath(folder.uri, '.orchestration', 'active_intents.yaml');
  const active = vscode.window.activeTextEditor?.document.uri;
  const isInside = active?.path.startsWith(`${folder.uri.path}/`) === true;
  if (!isInside) {
    await vscode.window.showTextDocument(file);
    return;
  }
  void vscode.window.showInformationMessage(SET_UP_MESSAGE, OPEN_FILE).then((choice) => {
    if (choice === OPEN_FILE) {
      void vscode.window.showTextDocument(file);
    }
  });
}

/** Return the glob of the current file's directory, or '' if there is no such file. */
function suggestedGlob(windowState: WindowState): string {
  const { currentUri, root } = windowState;
  if (!currentUri || !root || !currentUri.path.startsWith(`${root.path}/`)) {
    return '';
  }
  const path = currentUri.path.slice(root.path.length + 1);
  const parent = path.slice(0, path.lastIndexOf('/') + 1);
  return path.startsWith('.orchestration/') ? '' : parent === '' ? path : `${parent}**`;
}
