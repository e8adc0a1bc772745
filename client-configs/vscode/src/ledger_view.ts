/** The *Ledger* view: the newest records, by intent or file, and whether the ledger verifies. */

import * as vscode from 'vscode';
import { errorText } from './error_text';
import { countText, verificationLabel } from './labels';
import { TracePage, Verification } from './protocol';
import { treeItem } from './tree_items';
import { ledgerNodes, TreeNode } from './tree_nodes';
import { WindowState } from './window_state';

/** Which records the view shows: those of an intent, of a file, or all. */
export interface LedgerFilter {
  readonly intentId?: string;
  readonly path?: string;
}

const PAGE_SIZE = 50;
/** The server returns no more records at once. */
const MAX_RECORDS = 1000;
/** A ledger whose last verification took less time is verified after each record. */
const QUICK_MS = 1000;

export class LedgerView implements vscode.TreeDataProvider<TreeNode>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  private readonly view: vscode.TreeView<TreeNode>;
  private readonly disposables: vscode.Disposable[];
  private filter: LedgerFilter = {};
  private pages = 1;
  private verification: Verification | undefined;
  private verifyDuration = 0;
  private root: string | undefined;
  private version = '';

  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly windowState: WindowState) {
    this.view = vscode.window.createTreeView('intentLsp.ledger', { treeDataProvider: this });
    this.disposables = [
      this.view,
      this.changed,
      windowState.onDidChange(() => this.refresh()),
      this.view.onDidChangeVisibility(({ visible }) => visible && this.refresh()),
    ];
  }

  getTreeItem(node: TreeNode): vscode.TreeItem {
    return treeItem(node);
  }

  async getChildren(node?: TreeNode): Promise<TreeNode[]> {
    if (node || !this.windowState.root) {
      return [];
    }
    const params = { ...this.filter, limit: Math.min(this.pages * PAGE_SIZE, MAX_RECORDS) };
    try {
      const page = await this.windowState.request<TracePage>('trace', params);
      const problems = this.verification?.problems ?? [];
      this.view.message = '';
      return ledgerNodes(page, problems, this.windowState.intents, Date.now());
    } catch (error) {
      // No command has asked for this, so the error is shown in the view, in the records' place.
      this.view.message = errorText(error);
      return [];
    }
  }

  /** Show only the records of an intent or of a file; all records if the filter is empty. */
  setFilter(filter: LedgerFilter): void {
    this.filter = filter;
    this.pages = 1;
    const isFiltered = filter.intentId !== undefined || filter.path !== undefined;
    void vscode.commands.executeCommand('setContext', 'intentLsp.ledger.filtered', isFiltered);
    this.updateDescription();
    this.changed.fire(undefined);
  }

  showMore(): void {
    this.pages += 1;
    this.changed.fire(undefined);
  }

  /** Verify the ledger, show the result and return it. */
  async verify(): Promise<Verification> {
    const started = Date.now();
    const verification = await this.windowState.request<Verification>('verify');
    this.verifyDuration = Date.now() - started;
    this.verification = verification;
    this.updateDescription();
    this.changed.fire(undefined);
    return verification;
  }

  dispose(): void {
    for (const disposable of this.disposables) {
      disposable.dispose();
    }
  }

  private refresh(): void {
    const root = this.windowState.root?.toString();
    const version = `${root}:${this.windowState.status?.records}`;
    if (root !== undefined && root !== this.root) {
      this.root = root;
      this.verification = undefined;
      this.verifyDuration = 0;
      this.setFilter({});
    }
    this.updateDescription();
    this.changed.fire(undefined);
    const hasChanged = root !== undefined && version !== this.version;
    if (this.view.visible && hasChanged && this.verifyDuration < QUICK_MS) {
      this.version = version;
      this.verify().catch(() => {
        this.verification = undefined;
        this.updateDescription();
      });
    }
  }

  private updateDescription(): void {
    const { intentId, path } = this.filter;
    const verdict = this.verification ? verificationLabel(this.verification) : undefined;
    const parts = [verdict, intentId, path].filter((part) => part !== undefined);
    this.view.description = parts.join(' · ');
    const problems = this.verification?.problems.length ?? 0;
    this.view.badge =
      problems === 0
        ? undefined
        : { value: problems, tooltip: `${countText(problems, 'problem')} in the ledger` };
  }
}
