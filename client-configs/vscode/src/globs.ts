/** The globs that a person writes in one line, with commas between them. Pure. */

/** Split at commas, but not inside braces or brackets, where a comma belongs to the glob. */
export function globsOf(line: string): string[] {
  const globs: string[] = [];
  let [glob, depth] = ['', 0];
  for (const letter of line) {
    if (letter === ',' && depth === 0) {
      globs.push(glob);
      glob = '';
      continue;
    }
    depth = Math.max(0, depth + (opens(letter) ? 1 : closes(letter) ? -1 : 0));
    glob += letter;
  }
  return [...globs, glob].map((each) => each.trim()).filter((each) => each !== '');
}

function opens(letter: string): boolean {
  return letter === '{' || letter === '[' || letter === '(';
}

function closes(letter: string): boolean {
  return letter === '}' || letter === ']' || letter === ')';
}
