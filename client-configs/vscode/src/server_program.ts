/** The search for the server's program. Pure: the disk is read through `Environment`. */

import { posix } from 'node:path';

/** Where the program was found, as the log says it. */
export type Source = 'setting' | 'environment' | 'path' | 'extension';

export interface ServerProgram {
  readonly argv: readonly [string, ...string[]];
  readonly source: Source;
}

/** A search that found no program. */
export interface FailedSearch {
  /** Every path that was tried, in order. */
  readonly searched: readonly string[];
  /** The program that the setting names, if it names one that cannot be started. */
  readonly configured?: string;
  /** The versions that the extension has installed, none of which is its own. */
  readonly otherVersions?: readonly string[];
}

/** Where the extension keeps the server that it installs on request. */
export interface OwnInstallation {
  readonly storage: string;
  /** The version of the extension, which is also that of the server that fits it. */
  readonly version: string;
}

export interface Environment {
  /** The words of `intentLsp.server.command`; empty: search for the server. */
  readonly configuredCommand: readonly string[];
  /** Whether the workspace may decide which program is started. */
  readonly trusted: boolean;
  readonly folders: readonly string[];
  readonly home: string;
  readonly searchPath: string;
  readonly ownInstallation: OwnInstallation;
  /** The names of the entries of the extension's own storage. */
  readonly storageEntries: readonly string[];
  /** Return the Python interpreters chosen for the workspace; called only when needed. */
  interpreters(): Promise<readonly string[]>;
  isExecutable(path: string): boolean;
}

export const PROGRAM = 'intent-lsp';
const ENVIRONMENT_NAMES = ['.venv', 'venv', 'env'];
const SERVE = 'serve';
const DIRECTORY_PREFIX = 'server-';

/** Find the server: by the setting, the workspace's environments, the search path, or our own. */
export async function findServer(environment: Environment): Promise<ServerProgram | FailedSearch> {
  if (environment.configuredCommand.length > 0) {
    return fromSetting(environment);
  }
  const searched: string[] = [];
  const first = (paths: readonly string[], source: Source): ServerProgram | undefined => {
    searched.push(...paths);
    const found = paths.find((path) => environment.isExecutable(path));
    return found === undefined ? undefined : { argv: [found, SERVE], source };
  };
  if (environment.trusted) {
    const found = first(inFolderEnvironments(environment.folders), 'environment')
      ?? first((await environment.interpreters()).map(besideInterpreter), 'environment');
    if (found) {
      return found;
    }
  }
  return first(onSearchPath(PROGRAM, environment.searchPath), 'path')
    ?? fromOwnInstallation(environment, searched);
}

/** Return the directory in which a version of the extension installs the server. */
export function ownInstallationPath(storage: string, version: string): string {
  return posix.join(storage, DIRECTORY_PREFIX + version);
}

/** Return the names of the directories that other versions of the extension have installed. */
export function otherInstallations(entries: readonly string[], version: string): string[] {
  const ours = DIRECTORY_PREFIX + version;
  return entries.filter((name) => name.startsWith(DIRECTORY_PREFIX) && name !== ours);
}

/** Return the command that runs the server's module from an environment. */
export function moduleCommand(environmentPath: string): [string, ...string[]] {
  // By its Python: an installed script holds the path of its environment, which is moved later.
  // -I: no directory of the workspace and no variable decides what is imported.
  return [posix.join(environmentPath, 'bin', 'python'), '-I', '-m', 'intent_lsp'];
}

/** Return the command line of another command of the program: `intent-lsp trace report`. */
export function commandLine(
  { argv }: ServerProgram,
  ...words: readonly string[]
): [string, ...string[]] {
  const [program, ...rest] = argv;
  const serve = rest.lastIndexOf(SERVE);
  return [program, ...(serve < 0 ? rest : rest.slice(0, serve)), ...words];
}

export function isFound(result: ServerProgram | FailedSearch): result is ServerProgram {
  return 'argv' in result;
}

function fromSetting(environment: Environment): ServerProgram | FailedSearch {
  const words = environment.configuredCommand.map((word) => expandVariables(word, environment));
  const [configured = '', ...rest] = words;
  const paths = configured.includes('/')
    ? [configured]
    : onSearchPath(configured, environment.searchPath);
  const found = paths.find((path) => path.startsWith('/') && environment.isExecutable(path));
  return found === undefined
    ? { searched: paths, configured }
    : { argv: [found, ...rest], source: 'setting' };
}

function fromOwnInstallation(
  { ownInstallation, storageEntries, isExecutable }: Environment,
  searched: string[],
): ServerProgram | FailedSearch {
  const { storage, version } = ownInstallation;
  const [python, ...module] = moduleCommand(ownInstallationPath(storage, version));
  searched.push(python);
  if (isExecutable(python)) {
    return { argv: [python, ...module, SERVE], source: 'extension' };
  }
  const others = otherInstallations(storageEntries, version);
  return { searched, otherVersions: others.map((name) => name.slice(DIRECTORY_PREFIX.length)) };
}

function expandVariables(word: string, { folders, home }: Environment): string {
  const expanded = word
    .replaceAll('${workspaceFolder}', folders[0] ?? '')
    .replaceAll('${userHome}', home);
  return expanded.startsWith('~/') ? posix.join(home, expanded.slice(2)) : expanded;
}

function inFolderEnvironments(folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    ENVIRONMENT_NAMES.map((name) => posix.join(folder, name, 'bin', PROGRAM)),
  );
}

function besideInterpreter(interpreter: string): string {
  return posix.join(posix.dirname(interpreter), PROGRAM);
}

function onSearchPath(name: string, searchPath: string): string[] {
  // A relative entry would mean whatever directory the editor was started in.
  const directories = searchPath.split(':').filter((entry) => entry.startsWith('/'));
  return directories.map((directory) => posix.join(directory, name));
}
