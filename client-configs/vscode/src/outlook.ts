/** What the window looks at: the governed root that is meant now, its status and its intents. */

import * as vscode from 'vscode';
import { Server } from './server';
import { folders } from './surroundings';
import { Intent, IntentList, Request, Status } from './wire';

const SETTLE = 80;

export class Outlook implements vscode.Disposable {
  status: Status | undefined;
  intents: readonly Intent[] = [];

  private readonly changed = new vscode.EventEmitter<void>();
  private readonly parts: vscode.Disposable[] = [this.changed];
  private timer: NodeJS.Timeout | undefined;
  private asked = 0;
  private last: vscode.Uri | undefined;

  /** Told when the status, the intents, or the ledger of the root may have changed. */
  readonly onDidChange = this.changed.event;

  constructor(private readonly server: Server) {
    this.parts.push(
      server.onDidChange(() => this.soon()),
      server.onDidTell(() => this.soon()),
      vscode.window.onDidChangeActiveTextEditor((editor) => editor && this.moved(editor)),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.soon()),
      vscode.workspace.onDidSaveTextDocument((document) => {
        if (document.uri.path.includes('/.orchestration/')) {
          this.soon();
        }
      }),
    );
    this.last = ours(vscode.window.activeTextEditor);
  }

  /** Give the file that is looked at, else the first folder. */
  get place(): vscode.Uri | undefined {
    return this.last ?? folders()[0]?.uri;
  }

  get root(): vscode.Uri | undefined {
    const root = this.status?.root;
    return typeof root === 'string' ? vscode.Uri.file(root) : undefined;
  }

  /** Ask the server something of the root that is meant. */
  ask<R>(request: Request, params: object = {}, token?: vscode.CancellationToken): Promise<R> {
    const workspaceUri = (this.root ?? this.place)?.toString();
    const where = workspaceUri === undefined ? {} : { workspaceUri };
    return this.server.ask<R>(`intent/${request}`, { ...where, ...params }, token);
  }

  /** Look again, once what changes now has settled. */
  soon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.look(), SETTLE);
  }

  async look(): Promise<void> {
    const turn = ++this.asked;
    const [status, intents] = await this.told();
    if (turn !== this.asked) {
      return;
    }
    this.status = status;
    this.intents = intents;
    const governed = status !== undefined && status.root !== null;
    const selected = governed && status.activeIntentId !== null;
    const recorded = governed && status.records > 0;
    for (const [name, holds] of Object.entries({ governed, selected, recorded })) {
      await vscode.commands.executeCommand('setContext', `intentLsp.${name}`, holds);
    }
    this.changed.fire();
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const part of this.parts) {
      part.dispose();
    }
  }

  private async told(): Promise<[Status | undefined, readonly Intent[]]> {
    if (this.server.standing.kind !== 'running') {
      return [undefined, []];
    }
    const place = this.place?.toString();
    const where = place === undefined ? {} : { workspaceUri: place };
    try {
      const [status, list] = await Promise.all([
        this.server.ask<Status>('intent/status', where),
        this.server.ask<IntentList>('intent/list', where),
      ]);
      return [status, list.intents];
    } catch (error) {
      this.server.log.appendLine(`The status is not known: ${String(error)}`);
      return [undefined, []];
    }
  }

  private moved(editor: vscode.TextEditor): void {
    const uri = ours(editor);
    if (uri && uri.toString() !== this.last?.toString()) {
      this.last = uri;
      this.soon();
    }
  }
}

/** Give the file of an editor, if it is one of a folder of this window. */
function ours(editor: vscode.TextEditor | undefined): vscode.Uri | undefined {
  const uri = editor?.document.uri;
  const inside = uri?.scheme === 'file' && vscode.workspace.getWorkspaceFolder(uri) !== undefined;
  return inside ? uri : undefined;
}
