/** The status bar item that tells where the current line comes from. */

import * as vscode from 'vscode';
import { blameLabel } from './labels';
import { Outlook } from './outlook';
import { OWN, SECTION } from './settings';
import { Blame } from './wire';

const SETTLE = 200;
const AT_THE_RIGHT = 110;

export class BlameItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    'intentLsp.blame',
    vscode.StatusBarAlignment.Right,
    AT_THE_RIGHT,
  );
  private readonly parts: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;
  private asking: vscode.CancellationTokenSource | undefined;
  private line: string | undefined;

  constructor(private readonly outlook: Outlook) {
    this.item.name = 'Origin of the line';
    this.parts = [
      this.item,
      outlook.onDidChange(() => this.again()),
      vscode.window.onDidChangeActiveTextEditor(() => this.moved()),
      vscode.window.onDidChangeTextEditorSelection(() => this.moved()),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document === vscode.window.activeTextEditor?.document) {
          this.again();
        }
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(`${SECTION}.${OWN.blame}`)) {
          this.again();
        }
      }),
    ];
  }

  dispose(): void {
    this.forget();
    for (const part of this.parts) {
      part.dispose();
    }
  }

  private again(): void {
    this.line = undefined;
    this.moved();
  }

  private moved(): void {
    const editor = vscode.window.activeTextEditor;
    const line = editor && `${editor.document.uri.toString()}:${editor.selection.active.line}`;
    if (line !== undefined && line === this.line) {
      return;
    }
    this.line = line;
    this.forget();
    const wanted = vscode.workspace.getConfiguration(SECTION).get<boolean>(OWN.blame, true);
    if (!editor || !wanted || !this.outlook.root || editor.document.uri.scheme !== 'file') {
      this.item.hide();
      return;
    }
    this.timer = setTimeout(() => void this.ask(editor), SETTLE);
  }

  private forget(): void {
    clearTimeout(this.timer);
    this.asking?.cancel();
    this.asking?.dispose();
    this.asking = undefined;
  }

  private async ask(editor: vscode.TextEditor): Promise<void> {
    const asking = new vscode.CancellationTokenSource();
    this.asking = asking;
    const at = editor.selection.active.line;
    const range = { start: { line: at, character: 0 }, end: { line: at + 1, character: 0 } };
    const params = { uri: editor.document.uri.toString(), range };
    try {
      const { lines } = await this.outlook.ask<Blame>('blame', params, asking.token);
      if (!asking.token.isCancellationRequested) {
        this.show(lines, params.uri);
      }
    } catch {
      // A file that nobody governs, or a question that came too late: nothing is shown.
      if (!asking.token.isCancellationRequested) {
        this.item.hide();
      }
    }
  }

  private show(lines: Blame['lines'], uri: string): void {
    const [run] = lines;
    const named = this.outlook.intents.find((intent) => intent.id === run?.intentId);
    const text = run && blameLabel(run, Date.now(), named?.name);
    if (!run || text === undefined) {
      this.item.hide();
      return;
    }
    this.item.text = text;
    this.item.tooltip = `${run.toolName ?? ''} · ${run.confidence}\nShow the record`;
    this.item.command = {
      command: 'intentLsp.showRecord',
      title: 'Show the record',
      arguments: [run.recordId, undefined, uri],
    };
    this.item.show();
  }
}
