/** The status bar item that shows which intent and author the current line comes from. */

import * as vscode from 'vscode';
import { blameLabel } from './labels';
import { Blame } from './protocol';
import { EXTENSION_SETTINGS, SECTION } from './settings';
import { WindowState } from './window_state';

/** The time for which the cursor rests before the server is asked about its line. */
const DELAY_MS = 200;
/** Puts the item to the left of the editor's own items on that side. */
const PRIORITY = 110;

export class BlameItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    'intentLsp.blame',
    vscode.StatusBarAlignment.Right,
    PRIORITY,
  );
  private readonly disposables: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;
  private pending: vscode.CancellationTokenSource | undefined;
  private line: string | undefined;

  constructor(private readonly windowState: WindowState) {
    this.item.name = 'Origin of the line';
    this.disposables = [
      this.item,
      windowState.onDidChange(() => this.refresh()),
      vscode.window.onDidChangeActiveTextEditor(() => this.onCursorMove()),
      vscode.window.onDidChangeTextEditorSelection(() => this.onCursorMove()),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document === vscode.window.activeTextEditor?.document) {
          this.refresh();
        }
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(`${SECTION}.${EXTENSION_SETTINGS.blame}`)) {
          this.refresh();
        }
      }),
    ];
  }

  dispose(): void {
    this.cancelRequest();
    for (const disposable of this.disposables) {
      disposable.dispose();
    }
  }

  private refresh(): void {
    this.line = undefined;
    this.onCursorMove();
  }

  private onCursorMove(): void {
    const editor = vscode.window.activeTextEditor;
    const line = editor && `${editor.document.uri.toString()}:${editor.selection.active.line}`;
    if (line !== undefined && line === this.line) {
      return;
    }
    this.line = line;
    this.cancelRequest();
    const settings = vscode.workspace.getConfiguration(SECTION);
    const isEnabled = settings.get<boolean>(EXTENSION_SETTINGS.blame, true);
    if (!editor || !isEnabled || !this.windowState.root || editor.document.uri.scheme !== 'file') {
      this.item.hide();
      return;
    }
    this.timer = setTimeout(() => void this.request(editor), DELAY_MS);
  }

  private cancelRequest(): void {
    clearTimeout(this.timer);
    this.pending?.cancel();
    this.pending?.dispose();
    this.pending = undefined;
  }

  private async request(editor: vscode.TextEditor): Promise<void> {
    const pending = new vscode.CancellationTokenSource();
    this.pending = pending;
    const line = editor.selection.active.line;
    const range = { start: { line, character: 0 }, end: { line: line + 1, character: 0 } };
    const params = { uri: editor.document.uri.toString(), range };
    try {
      const { lines } = await this.windowState.request<Blame>('blame', params, pending.token);
      if (!pending.token.isCancellationRequested) {
        this.show(lines, params.uri);
      }
    } catch {
      // The file is not governed, or has changed since: there is nothing to show.
      if (!pending.token.isCancellationRequested) {
        this.item.hide();
      }
    }
  }

  private show(lines: Blame['lines'], uri: string): void {
    const [run] = lines;
    const intent = this.windowState.intents.find(({ id }) => id === run?.intentId);
    const text = run && blameLabel(run, Date.now(), intent?.name);
    if (!run || text === undefined) {
      this.item.hide();
      return;
    }
    this.item.text = text;
    const tool = run.toolName ?? 'an unknown tool';
    this.item.tooltip = `Written by ${tool}; confidence: ${run.confidence}\nShow the record`;
    this.item.command = {
      command: 'intentLsp.showRecord',
      title: 'Show the record',
      arguments: [run.recordId, undefined, uri],
    };
    this.item.show();
  }
}
