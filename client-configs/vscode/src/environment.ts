/** The environment of this window: its settings, folders, Pythons and executable files. */

import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { Environment, OwnInstallation } from './server_program';
import { EXTENSION_SETTINGS, SECTION } from './settings';

/** The part that we use of the Python extension's API. */
interface PythonApi {
  readonly environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
  };
}

const PYTHON = 'ms-python.python';
const INTENTS_FILE = join('.orchestration', 'active_intents.yaml');

export function readEnvironment(ownInstallation: OwnInstallation): Environment {
  const settings = vscode.workspace.getConfiguration(SECTION);
  return {
    configuredCommand: commandWords(settings.get<unknown>(EXTENSION_SETTINGS.command)),
    trusted: vscode.workspace.isTrusted,
    folders: localFolders().map((folder) => folder.uri.fsPath),
    home: homedir(),
    searchPath: process.env['PATH'] ?? '',
    ownInstallation,
    storageEntries: entriesOf(ownInstallation.storage),
    interpreters,
    isExecutable,
  };
}

/** Return the folders of the window that are on a disk. */
export function localFolders(): vscode.WorkspaceFolder[] {
  return (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
}

/** Return whether one of the folders of the window is governed. */
export function isGoverned(): boolean {
  return localFolders().some(({ uri }) => isGovernedDirectory(uri.fsPath));
}

/** Return whether a directory is governed: it or one above it has an intents file. */
export function isGovernedDirectory(path: string): boolean {
  const parent = dirname(path);
  return existsSync(join(path, INTENTS_FILE)) || (parent !== path && isGovernedDirectory(parent));
}

function commandWords(setting: unknown): string[] {
  const list: readonly unknown[] = Array.isArray(setting) ? setting : [setting];
  return list.filter((word): word is string => typeof word === 'string' && word !== '');
}

function entriesOf(directory: string): string[] {
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
    const { environments } = api;
    const paths = localFolders().map(({ uri }) => environments?.getActiveEnvironmentPath(uri).path);
    return paths.filter((path): path is string => path?.startsWith('/') === true);
  } catch {
    // The other extension reports its own errors; the search goes on without it.
    return [];
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
