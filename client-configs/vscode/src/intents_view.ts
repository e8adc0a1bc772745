/** The *Intents* view: each intent with its scope, files, records and violations. */

import * as vscode from 'vscode';
import { counted } from './labels';
import { intentNodes, intentParts, Node } from './nodes';
import { Outlook } from './outlook';
import { treeItem } from './tree';
import { TracePage } from './wire';
import { violationsOf } from './violations';

const RECORDS = 50;

export class IntentsView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<Node | undefined>();
  private readonly view: vscode.TreeView<Node>;
  private readonly parts: vscode.Disposable[];
  private violations = 0;

  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly outlook: Outlook) {
    this.view = vscode.window.createTreeView('intentLsp.intents', {
      treeDataProvider: this,
      showCollapseAll: true,
    });
    this.parts = [
      this.view,
      this.changed,
      outlook.onDidChange(() => this.refresh()),
      vscode.languages.onDidChangeDiagnostics(() => {
        // What no violation stands in is not worth a question for every keystroke.
        if (this.view.visible) {
          this.count();
        }
      }),
    ];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    return treeItem(node);
  }

  async getChildren(node?: Node): Promise<Node[]> {
    const { status, intents } = this.outlook;
    if (!node) {
      return intentNodes(intents, status?.activeIntentId ?? null);
    }
    if (!node.intent) {
      return [...(node.children ?? [])];
    }
    const asked = { intentId: node.intent.id, limit: RECORDS };
    const nothing: TracePage = { records: [], flags: {}, who: {} };
    const page = await this.outlook.ask<TracePage>('trace', asked).catch(() => nothing);
    const violations = violationsOf(this.outlook.root, node.intent.id);
    return intentParts(node.intent, page, violations, Date.now());
  }

  dispose(): void {
    for (const part of this.parts) {
      part.dispose();
    }
  }

  private refresh(): void {
    const several = (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
    this.view.description = several ? this.outlook.root?.path.split('/').at(-1) ?? '' : '';
    this.count();
    this.changed.fire(undefined);
  }

  private count(): void {
    const value = violationsOf(this.outlook.root).length;
    if (value !== this.violations) {
      this.violations = value;
      const tooltip = `${counted(value, 'edit')} out of scope`;
      this.view.badge = value === 0 ? undefined : { value, tooltip };
      this.changed.fire(undefined);
    }
  }
}
