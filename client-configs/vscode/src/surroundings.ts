/** What surrounds this window: its settings, folders, environments, and what can be executed. */

import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { Own, Surroundings } from './launch';
import { OWN, SECTION } from './settings';

/** The part that we use of what the Python extension offers to others. */
interface PythonApi {
  readonly environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
  };
}

const PYTHON = 'ms-python.python';
const INTENTS_FILE = join('.orchestration', 'active_intents.yaml');

export function surroundings(own: Own): Surroundings {
  const setting = vscode.workspace.getConfiguration(SECTION).get<unknown>(OWN.command);
  return {
    setting: words(setting),
    trusted: vscode.workspace.isTrusted,
    folders: folders().map((folder) => folder.uri.fsPath),
    home: homedir(),
    searchPath: process.env['PATH'] ?? '',
    own,
    stored: names(own.storage),
    interpreters,
    executable,
  };
}

/** Give the folders that are on a disk. */
export function folders(): vscode.WorkspaceFolder[] {
  return (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
}

/** Whether a root governs one of the folders: it has its files in the folder, or above it. */
export function isGoverned(): boolean {
  return folders().some(({ uri }) => governs(uri.fsPath));
}

/** Whether something governs a directory: a root in it, or above it. */
export function governs(path: string): boolean {
  const parent = dirname(path);
  return existsSync(join(path, INTENTS_FILE)) || (parent !== path && governs(parent));
}

function words(setting: unknown): string[] {
  const list: readonly unknown[] = Array.isArray(setting) ? setting : [setting];
  return list.filter((word): word is string => typeof word === 'string' && word !== '');
}

function names(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

async function interpreters(): Promise<readonly string[]> {
  const extension = vscode.extensions.getExtension<PythonApi>(PYTHON);
  if (!extension) {
    return [];
  }
  try {
    const api = await extension.activate();
    const places = folders().map(({ uri }) => api.environments?.getActiveEnvironmentPath(uri).path);
    return places.filter((place): place is string => place?.startsWith('/') === true);
  } catch {
    // What ails another extension is not for us to say; the search goes on without it.
    return [];
  }
}

function executable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
