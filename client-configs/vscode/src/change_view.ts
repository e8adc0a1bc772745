/** The change of a record, in the editor's own diff, with a summary as the title of its tab. */

import * as vscode from 'vscode';
import { ensureStarted } from './auto_start';
import { countText, verdictText, withoutIcons } from './labels';
import { Change, ChangedFile, ChangeSide } from './protocol';
import { Server } from './server';
import { WindowState } from './window_state';

const SCHEME = 'intent-record';
/** As many changes are kept, so that their tabs need not ask the server again. */
const MAX_CHANGES = 20;

export class ChangeView implements vscode.Disposable {
  private readonly changes = new Map<string, Change>();
  private readonly provider: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly windowState: WindowState,
  ) {
    this.provider = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      provideTextDocumentContent: (uri) => this.textFor(uri),
    });
  }

  dispose(): void {
    this.provider.dispose();
  }

  /** Show the diff of a record. Return false if the texts of none of its files are kept. */
  async show(recordId: string): Promise<boolean> {
    const change = await this.windowState.request<Change>('change', { recordId });
    this.remember(change);
    const files = change.files.filter((file) => isShown(file));
    const [only] = files;
    if (only === undefined) {
      return false;
    }
    const title = changeTitle(change);
    if (files.length === 1) {
      const sides = [sideUri(change, only, 'before'), sideUri(change, only, 'after')];
      const tabTitle = `${fileTitle(only)} (${title})`;
      await vscode.commands.executeCommand('vscode.diff', ...sides, tabTitle);
      return true;
    }
    const resources = files.map((file) => [
      vscode.Uri.parse(file.uri),
      sideUri(change, file, 'before'),
      sideUri(change, file, 'after'),
    ]);
    await vscode.commands.executeCommand('vscode.changes', title, resources);
    return true;
  }

  private remember(change: Change): void {
    this.changes.delete(change.recordId);
    this.changes.set(change.recordId, change);
    const [oldest] = this.changes.keys();
    if (this.changes.size > MAX_CHANGES && oldest !== undefined) {
      this.changes.delete(oldest);
    }
  }

  private async textFor(uri: vscode.Uri): Promise<string> {
    const { id, path, side } = parseSideUri(uri);
    if (!this.changes.has(id)) {
      // A reloaded window restores its tabs before the server runs.
      await ensureStarted(this.server);
      this.remember(await this.windowState.request<Change>('change', { recordId: id }));
    }
    const file = this.changes.get(id)?.files.find((each) => each.path === path);
    return file?.[side].text ?? '';
  }
}

/** Return the id of the record whose diff a document belongs to, or undefined if to none. */
export function recordIdOf(uri: vscode.Uri): string | undefined {
  return uri.scheme === SCHEME ? parseSideUri(uri).id : undefined;
}

/** Return whether a file has a change to show: other text, or another name, shown in the title. */
function isShown({ before, after, previousPath }: ChangedFile): boolean {
  const isChanged = before.text !== after.text || previousPath !== null;
  return hasText(before) && hasText(after) && isChanged;
}

function hasText(side: ChangeSide): boolean {
  return side.why === null;
}

function changeTitle(change: Change): string {
  const { intentId, intentName, who, timestamp, scopeValidation, reason, files } = change;
  const intent = intentId === null ? 'no intent' : intentName || intentId;
  const time = new Date(timestamp).toLocaleString(undefined, {
    dateStyle: 'short',
    timeStyle: 'short',
  });
  const many = files.length > 1 ? [countText(files.length, 'file')] : [];
  const verdict = verdictText(scopeValidation);
  const why = reason === null ? verdict : `${verdict}: ${reason}`;
  return withoutIcons([intent, who, time, ...many, why].join(' · '));
}

function fileTitle({ path, previousPath }: ChangedFile): string {
  const [old, name] = [previousPath, path].map((each) => each?.slice(each.lastIndexOf('/') + 1));
  return old === undefined || old === name ? `${name}` : `${old} → ${name}`;
}

function sideUri(change: Change, file: ChangedFile, side: 'before' | 'after'): vscode.Uri {
  // The editor takes the language from the path. The query keeps records apart.
  const path = `/${(side === 'before' && file.previousPath) || file.path}`;
  const query = JSON.stringify({ id: change.recordId, path: file.path, side });
  return vscode.Uri.from({ scheme: SCHEME, path, query });
}

function parseSideUri(uri: vscode.Uri): { id: string; path: string; side: 'before' | 'after' } {
  const query = JSON.parse(uri.query) as { id: string; path: string; side: string };
  return { id: query.id, path: query.path, side: query.side === 'before' ? 'before' : 'after' };
}
