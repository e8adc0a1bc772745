/** The *Ledger* view: the newest records, by intent or file, and whether the ledger verifies. */

import * as vscode from 'vscode';
import { counted, verifiedLabel } from './labels';
import { ledgerNodes, Node } from './nodes';
import { Outlook } from './outlook';
import { said } from './said';
import { treeItem } from './tree';
import { TracePage, Verification } from './wire';

/** What the view is narrowed to. */
export interface Filter {
  readonly intentId?: string;
  readonly path?: string;
}

const PAGE = 50;
/** As many records as the server gives at once. */
const MOST = 1000;
/** A ledger that verifies within this many milliseconds is verified after each record. */
const QUICK = 1000;

export class LedgerView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  private readonly view: vscode.TreeView<Node>;
  private readonly parts: vscode.Disposable[];
  private filter: Filter = {};
  private pages = 1;
  private verified: Verification | undefined;
  private took = 0;
  private root: string | undefined;
  private ledger = '';

  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly outlook: Outlook) {
    this.view = vscode.window.createTreeView('intentLsp.ledger', { treeDataProvider: this });
    this.parts = [
      this.view,
      this.changed,
      outlook.onDidChange(() => this.moved()),
      this.view.onDidChangeVisibility(({ visible }) => visible && this.moved()),
    ];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    return treeItem(node);
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (node || !this.outlook.root) {
      return [];
    }
    const asked = { ...this.filter, limit: Math.min(this.pages * PAGE, MOST) };
    try {
      const page = await this.outlook.ask<TracePage>('trace', asked);
      const problems = this.verified?.problems ?? [];
      this.view.message = '';
      return ledgerNodes(page, problems, this.outlook.intents, Date.now());
    } catch (error) {
      // Nobody has asked for this by hand, so it is said where the records would stand.
      this.view.message = said(error);
      return [];
    }
  }

  /** Show the records of an intent or of a file alone; of all again with an empty filter. */
  narrow(filter: Filter): void {
    this.filter = filter;
    this.pages = 1;
    const narrowed = filter.intentId !== undefined || filter.path !== undefined;
    void vscode.commands.executeCommand('setContext', 'intentLsp.ledger.filtered', narrowed);
    this.describe();
    this.changed.fire(undefined);
  }

  more(): void {
    this.pages += 1;
    this.changed.fire(undefined);
  }

  /** Verify the ledger and show the outcome. */
  async verify(): Promise<Verification> {
    const begun = Date.now();
    const found = await this.outlook.ask<Verification>('verify');
    this.took = Date.now() - begun;
    this.verified = found;
    this.describe();
    this.changed.fire(undefined);
    return found;
  }

  dispose(): void {
    for (const part of this.parts) {
      part.dispose();
    }
  }

  private moved(): void {
    const root = this.outlook.root?.toString();
    const ledger = `${root}:${this.outlook.status?.records}`;
    if (root !== undefined && root !== this.root) {
      this.root = root;
      this.verified = undefined;
      this.took = 0;
      this.narrow({});
    }
    this.describe();
    this.changed.fire(undefined);
    if (this.view.visible && root !== undefined && ledger !== this.ledger && this.took < QUICK) {
      this.ledger = ledger;
      this.verify().catch(() => {
        this.verified = undefined;
        this.describe();
      });
    }
  }

  private describe(): void {
    const { intentId, path } = this.filter;
    const narrowed = [intentId, path].filter((part) => part !== undefined);
    const verdict = this.verified ? [verifiedLabel(this.verified)] : [];
    this.view.description = [...verdict, ...narrowed].join(' · ');
    const problems = this.verified?.problems.length ?? 0;
    this.view.badge =
      problems === 0
        ? undefined
        : { value: problems, tooltip: `${counted(problems, 'problem')} in the ledger` };
  }
}
