/** The violations that the window shows now, from the editor's diagnostics. */

import * as vscode from 'vscode';
import { Violation } from './tree_nodes';

const SOURCE = 'intent-lsp';
const OUT_OF_SCOPE = 'SCOPE_VIOLATION';

/** Return the edits out of scope below a root, of one intent or of all. */
export function findViolations(root: vscode.Uri | undefined, intentId?: string): Violation[] {
  if (!root) {
    return [];
  }
  return vscode.languages
    .getDiagnostics()
    .filter(([uri]) => isBelow(root, uri))
    .flatMap(([uri, found]) =>
      found
        .filter((each) => each.source === SOURCE && codeOf(each) === OUT_OF_SCOPE)
        .filter((each) => intentId === undefined || intentOf(each) === intentId)
        .map((each) => ({
          uri: uri.toString(),
          path: uri.path.slice(root.path.length + 1),
          line: each.range.start.line,
          message: each.message,
        })),
    );
}

function isBelow(root: vscode.Uri, uri: vscode.Uri): boolean {
  return uri.scheme === 'file' && uri.path.startsWith(`${root.path}/`);
}

function codeOf({ code }: vscode.Diagnostic): unknown {
  return typeof code === 'object' ? code.value : code;
}

function intentOf(diagnostic: vscode.Diagnostic): unknown {
  // The language client keeps the server's `data`, which VS Code's type does not have.
  const { data } = diagnostic as { readonly data?: { readonly intentId?: unknown } };
  return data?.intentId;
}
