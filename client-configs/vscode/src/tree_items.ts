/** The items of a tree view, made from nodes. */

import * as vscode from 'vscode';
import { TreeNode } from './tree_nodes';

export function treeItem(node: TreeNode): vscode.TreeItem {
  const hasChildren = node.children !== undefined || node.intent !== undefined;
  const item = new vscode.TreeItem(
    node.label,
    hasChildren ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None,
  );
  item.id = node.id;
  if (node.description !== undefined) {
    item.description = node.description;
  }
  item.tooltip = node.tooltip ?? node.label;
  if (node.icon) {
    const [name, color] = node.icon;
    item.iconPath = new vscode.ThemeIcon(name, color ? new vscode.ThemeColor(color) : undefined);
  }
  if (node.action) {
    item.command = {
      command: node.action.command,
      title: 'Open',
      arguments: [...node.action.arguments],
    };
  }
  if (node.context !== undefined) {
    item.contextValue = node.context;
  }
  return item;
}
