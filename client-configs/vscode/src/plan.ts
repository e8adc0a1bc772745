/** The commands that change the plan: creating and completing intents, setting a folder up. */

import * as vscode from 'vscode';
import { chooseIntent, pickIntent } from './choosing';
import { globsOf } from './globs';
import { Outlook } from './outlook';
import { Server } from './server';
import { folders } from './surroundings';
import { Intent } from './wire';

interface Created {
  readonly approved: boolean;
  readonly intent?: Intent;
  readonly feedback?: string;
}

/** Ask for a name and for globs, create the intent, select it. */
export async function createIntent(outlook: Outlook): Promise<void> {
  const name = await vscode.window.showInputBox({
    title: 'Create an intent (1/2)',
    prompt: 'What is being worked on?',
    placeHolder: 'Login by token',
    ignoreFocusOut: true,
  });
  if (name === undefined || name.trim() === '') {
    return;
  }
  const owned = await vscode.window.showInputBox({
    title: 'Create an intent (2/2)',
    prompt: 'Which files may it change? Globs relative to the root, separated by commas.',
    value: suggestion(outlook),
    ignoreFocusOut: true,
  });
  const ownedScope = globsOf(owned ?? '');
  if (ownedScope.length === 0) {
    return;
  }
  const made = await outlook.ask<Created>('create', { name: name.trim(), ownedScope });
  if (!made.intent) {
    throw new Error(made.feedback ?? 'it was not approved');
  }
  await outlook.ask('select', { intentId: made.intent.id });
}

export async function completeIntent(outlook: Outlook, given?: Intent): Promise<void> {
  const intent = given ?? (await pickIntent(outlook, 'Which intent is done?'));
  if (intent) {
    await outlook.ask('complete', { intentId: intent.id });
    await outlook.look();
  }
}

export async function selectIntent(outlook: Outlook, given?: Intent | string): Promise<void> {
  if (given === undefined) {
    await chooseIntent(outlook);
    return;
  }
  await outlook.ask('select', { intentId: typeof given === 'string' ? given : given.id });
}

const SET_UP =
  'Intent: this folder is set up. Edit a file: the quick fix on a marked line creates an intent '
  + 'for it.';
const OPEN = 'Open the Intents File';

/** Create the set of files in a folder; who edits a file stays there, and is told what is next. */
export async function setUp(server: Server, outlook: Outlook): Promise<void> {
  const known = folders();
  const [only] = known;
  const folder = known.length > 1 ? await vscode.window.showWorkspaceFolderPick() : only;
  if (!folder) {
    throw new Error('open a folder first');
  }
  await server.ask('intent/init', { workspaceUri: folder.uri.toString() });
  await outlook.look();
  const file = vscode.Uri.joinPath(folder.uri, '.orchestration', 'active_intents.yaml');
  const active = vscode.window.activeTextEditor?.document.uri;
  const isInside = active?.path.startsWith(`${folder.uri.path}/`) === true;
  if (!isInside) {
    await vscode.window.showTextDocument(file);
    return;
  }
  void vscode.window.showInformationMessage(SET_UP, OPEN).then((chosen) => {
    if (chosen === OPEN) {
      void vscode.window.showTextDocument(file);
    }
  });
}

function suggestion(outlook: Outlook): string {
  const { place, root } = outlook;
  if (!place || !root || !place.path.startsWith(`${root.path}/`)) {
    return '';
  }
  const path = place.path.slice(root.path.length + 1);
  const parent = path.slice(0, path.lastIndexOf('/') + 1);
  return path.startsWith('.orchestration/') ? '' : parent === '' ? path : `${parent}**`;
}
