/** The *Intents* view: each intent with its scope, files, records and violations. */

import * as vscode from 'vscode';
import { countText } from './labels';
import { TracePage } from './protocol';
import { treeItem } from './tree_items';
import { intentChildren, intentNodes, TreeNode } from './tree_nodes';
import { findViolations } from './violations';
import { WindowState } from './window_state';

const MAX_RECORDS = 50;

export class IntentsView implements vscode.TreeDataProvider<TreeNode>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<TreeNode | undefined>();
  private readonly view: vscode.TreeView<TreeNode>;
  private readonly disposables: vscode.Disposable[];
  private violations = 0;

  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly windowState: WindowState) {
    this.view = vscode.window.createTreeView('intentLsp.intents', {
      treeDataProvider: this,
      showCollapseAll: true,
    });
    this.disposables = [
      this.view,
      this.changed,
      windowState.onDidChange(() => this.refresh()),
      vscode.languages.onDidChangeDiagnostics(() => {
        // Only the badge: diagnostics change with every keystroke, and the records do not.
        if (this.view.visible) {
          this.updateBadge();
        }
      }),
    ];
  }

  getTreeItem(node: TreeNode): vscode.TreeItem {
    return treeItem(node);
  }

  async getChildren(node?: TreeNode): Promise<TreeNode[]> {
    const { status, intents } = this.windowState;
    if (!node) {
      return intentNodes(intents, status?.activeIntentId ?? null);
    }
    if (!node.intent) {
      return [...(node.children ?? [])];
    }
    const params = { intentId: node.intent.id, limit: MAX_RECORDS };
    const noRecords: TracePage = { records: [], flags: {}, who: {} };
    const page = await this.windowState.request<TracePage>('trace', params).catch(() => noRecords);
    const violations = findViolations(this.windowState.root, node.intent.id);
    return intentChildren(node.intent, page, violations, Date.now());
  }

  dispose(): void {
    for (const disposable of this.disposables) {
      disposable.dispose();
    }
  }

  private refresh(): void {
    const several = (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
    this.view.description = several ? this.windowState.root?.path.split('/').at(-1) ?? '' : '';
    this.updateBadge();
    this.changed.fire(undefined);
  }

  private updateBadge(): void {
    const value = findViolations(this.windowState.root).length;
    if (value !== this.violations) {
      this.violations = value;
      const tooltip = `${countText(value, 'edit')} out of scope`;
      this.view.badge = value === 0 ? undefined : { value, tooltip };
      this.changed.fire(undefined);
    }
  }
}
