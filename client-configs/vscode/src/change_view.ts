/** A record as the change that it is: the editor's own diff, what is known of it in the tab. */

import * as vscode from 'vscode';
import { counted, plain } from './labels';
import { Outlook } from './outlook';
import { Change, ChangedFile, ChangeSide } from './wire';

const SCHEME = 'intent-record';
const KEPT_AT_MOST = 20;

export class ChangeView implements vscode.Disposable {
  private readonly known = new Map<string, Change>();
  private readonly provider: vscode.Disposable;

  constructor(private readonly outlook: Outlook) {
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
      // A window that was loaded again has its tabs still.
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

function isShown({ before, after }: ChangedFile): boolean {
  return isGiven(before) && isGiven(after) && before.text !== after.text;
}

function isGiven(side: ChangeSide): boolean {
  return side.why === null;
}

const VERDICTS: Readonly<Record<string, string>> = {
  PASS: 'in scope',
  FAIL: 'out of scope',
  EXEMPT: 'exempt',
};

function titleOf({ intentId, intentName, who, timestamp, scopeValidation, files }: Change): string {
  const intent = intentId === null ? 'no intent' : intentName || intentId;
  const time = new Date(timestamp).toLocaleString(undefined, {
    dateStyle: 'short',
    timeStyle: 'short',
  });
  const many = files.length > 1 ? [counted(files.length, 'file')] : [];
  const verdict = VERDICTS[scopeValidation] ?? scopeValidation;
  return plain([intent, who, time, verdict, ...many].join(' · '));
}

function nameOf({ path }: ChangedFile): string {
  return path.slice(path.lastIndexOf('/') + 1);
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
