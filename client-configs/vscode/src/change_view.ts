/** A record as the change that it is: the editor's own diff, what is known of it in the tab. */

import * as vscode from 'vscode';
import { counted, plain, verdictWords } from './labels';
import { Outlook } from './outlook';
import { Server } from './server';
import { wanted } from './start';
import { Change, ChangedFile, ChangeSide } from './wire';

const SCHEME = 'intent-record';
const KEPT_AT_MOST = 20;

export class ChangeView implements vscode.Disposable {
  private readonly known = new Map<string, Change>();
  private readonly provider: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly outlook: Outlook,
  ) {
    this.provider = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      provideTextDocumentContent: (uri) => this.textOf(uri),
    });
  }

  dispose(): void {
    this.provider.dispose();
  }

  /** Show a record's diff; false: there is no text of it left to be compared. */
  async show(recordId: string): Promise<boolean> {
    const change = await this.outlook.ask<Change>('change', { recordId });
    this.keep(change);
    const files = change.files.filter((file) => isShown(file));
    const [only] = files;
    if (only === undefined) {
      return false;
    }
    const title = titleOf(change);
    if (files.length === 1) {
      const sides = [uriOf(change, only, 'before'), uriOf(change, only, 'after')];
      await vscode.commands.executeCommand('vscode.diff', ...sides, `${nameOf(only)} (${title})`);
      return true;
    }
    const sets = files.map((file) => [
      vscode.Uri.parse(file.uri),
      uriOf(change, file, 'before'),
      uriOf(change, file, 'after'),
    ]);
    await vscode.commands.executeCommand('vscode.changes', title, sets);
    return true;
  }

  private keep(change: Change): void {
    this.known.delete(change.recordId);
    this.known.set(change.recordId, change);
    const [oldest] = this.known.keys();
    if (this.known.size > KEPT_AT_MOST && oldest !== undefined) {
      this.known.delete(oldest);
    }
  }

  private async textOf(uri: vscode.Uri): Promise<string> {
    const { id, path, side } = placeOf(uri);
    if (!this.known.has(id)) {
      // A window that was loaded again has its tabs still, and no server yet.
      await wanted(this.server);
      this.keep(await this.outlook.ask<Change>('change', { recordId: id }));
    }
    const file = this.known.get(id)?.files.find((each) => each.path === path);
    return file?.[side].text ?? '';
  }
}

/** Give the record that a side of a diff belongs to. */
export function recordOf(uri: vscode.Uri): string | undefined {
  return uri.scheme === SCHEME ? placeOf(uri).id : undefined;
}

/** Whether there is a change to be seen; a file that was only renamed shows its two names. */
function isShown({ before, after, previousPath }: ChangedFile): boolean {
  const isChanged = before.text !== after.text || previousPath !== null;
  return isGiven(before) && isGiven(after) && isChanged;
}

function isGiven(side: ChangeSide): boolean {
  return side.why === null;
}

function titleOf(change: Change): string {
  const { intentId, intentName, who, timestamp, scopeValidation, reason, files } = change;
  const intent = intentId === null ? 'no intent' : intentName || intentId;
  const time = new Date(timestamp).toLocaleString(undefined, {
    dateStyle: 'short',
    timeStyle: 'short',
  });
  const many = files.length > 1 ? [counted(files.length, 'file')] : [];
  const verdict = verdictWords(scopeValidation);
  const why = reason === null ? verdict : `${verdict}: ${reason}`;
  return plain([intent, who, time, ...many, why].join(' · '));
}

function nameOf({ path, previousPath }: ChangedFile): string {
  const [old, name] = [previousPath, path].map((each) => each?.slice(each.lastIndexOf('/') + 1));
  return old === undefined || old === name ? `${name}` : `${old} → ${name}`;
}

function uriOf(change: Change, file: ChangedFile, side: 'before' | 'after'): vscode.Uri {
  // The path gives the language; the query tells one record from another.
  const path = `/${(side === 'before' && file.previousPath) || file.path}`;
  const query = JSON.stringify({ id: change.recordId, path: file.path, side });
  return vscode.Uri.from({ scheme: SCHEME, path, query });
}

function placeOf(uri: vscode.Uri): { id: string; path: string; side: 'before' | 'after' } {
  const told = JSON.parse(uri.query) as { id: string; path: string; side: string };
  return { id: told.id, path: told.path, side: told.side === 'before' ? 'before' : 'after' };
}
