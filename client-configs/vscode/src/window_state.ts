/** The state of the window: the governed root of the current file, its status and its intents. */

import * as vscode from 'vscode';
import { localFolders } from './environment';
import { Intent, IntentList, Request, Status } from './protocol';
import { Server } from './server';

/** The time without changes after which a scheduled refresh begins. */
const DELAY_MS = 80;

export class WindowState implements vscode.Disposable {
  status: Status | undefined;
  intents: readonly Intent[] = [];

  private readonly changed = new vscode.EventEmitter<void>();
  private readonly disposables: vscode.Disposable[] = [this.changed];
  private timer: NodeJS.Timeout | undefined;
  private lastRefresh = 0;
  private lastUri: vscode.Uri | undefined;

  /** Fires when the status, the intents, or the ledger of the root may have changed. */
  readonly onDidChange = this.changed.event;

  constructor(private readonly server: Server) {
    this.disposables.push(
      server.onDidChange(() => this.scheduleRefresh()),
      server.onDidNotify(() => this.scheduleRefresh()),
      vscode.window.onDidChangeActiveTextEditor((editor) => editor && this.onEditorChange(editor)),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.scheduleRefresh()),
      vscode.workspace.onDidSaveTextDocument((document) => {
        if (document.uri.path.includes('/.orchestration/')) {
          this.scheduleRefresh();
        }
      }),
    );
    this.lastUri = workspaceFile(vscode.window.activeTextEditor);
  }

  /** The file that was active last, or the first folder. */
  get currentUri(): vscode.Uri | undefined {
    return this.lastUri ?? localFolders()[0]?.uri;
  }

  get root(): vscode.Uri | undefined {
    const root = this.status?.root;
    return typeof root === 'string' ? vscode.Uri.file(root) : undefined;
  }

  /** Send an `intent/*` request about the current root and return its answer. */
  request<R>(request: Request, params: object = {}, token?: vscode.CancellationToken): Promise<R> {
    const workspaceUri = (this.root ?? this.currentUri)?.toString();
    const target = workspaceUri === undefined ? {} : { workspaceUri };
    return this.server.request<R>(`intent/${request}`, { ...target, ...params }, token);
  }

  /** Refresh soon, once for several changes in a row. */
  scheduleRefresh(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), DELAY_MS);
  }

  /** Fetch status and intents, set the context keys, and fire `onDidChange`. */
  async refresh(): Promise<void> {
    const thisRefresh = ++this.lastRefresh;
    const [status, intents] = await this.fetchStatus();
    if (thisRefresh !== this.lastRefresh) {
      // A later refresh has begun, whose answer is newer.
      return;
    }
    this.status = status;
    this.intents = intents;
    const governed = status !== undefined && status.root !== null;
    const selected = governed && status.activeIntentId !== null;
    const recorded = governed && status.records > 0;
    const off = governed && !status.enabled;
    for (const [name, value] of Object.entries({ governed, selected, recorded, off })) {
      await vscode.commands.executeCommand('setContext', `intentLsp.${name}`, value);
    }
    this.changed.fire();
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const disposable of this.disposables) {
      disposable.dispose();
    }
  }

  private async fetchStatus(): Promise<[Status | undefined, readonly Intent[]]> {
    if (this.server.state.kind !== 'running') {
      return [undefined, []];
    }
    const workspaceUri = this.currentUri?.toString();
    const params = workspaceUri === undefined ? {} : { workspaceUri };
    try {
      const [status, list] = await Promise.all([
        this.server.request<Status>('intent/status', params),
        this.server.request<IntentList>('intent/list', params),
      ]);
      return [status, list.intents];
    } catch (error) {
      this.server.log.appendLine(`The status could not be read: ${String(error)}`);
      return [undefined, []];
    }
  }

  private onEditorChange(editor: vscode.TextEditor): void {
    const uri = workspaceFile(editor);
    if (uri && uri.toString() !== this.lastUri?.toString()) {
      this.lastUri = uri;
      this.scheduleRefresh();
    }
  }
}

/** Return the file of an editor if it is in a folder of this window, else undefined. */
function workspaceFile(editor: vscode.TextEditor | undefined): vscode.Uri | undefined {
  const uri = editor?.document.uri;
  const inside = uri?.scheme === 'file' && vscode.workspace.getWorkspaceFolder(uri) !== undefined;
  return inside ? uri : undefined;
}
