/** A variable that looks like a setting of ours and is none. */
export interface UnknownSetting {
  readonly name: string;
  /** The setting that was meant, as far as a letter or two tell. */
  readonly meant: string | null;
}

/** Most letters by which a name may miss the one that was meant. */
const slip = 2;

/** Variables that begin as our settings do (`PAY_`), are not blank, and are no setting. */
export function unknownSettings(
  environment: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): readonly UnknownSetting[] {
  return Object.keys(environment)
    .filter(name => name.startsWith('PAY_') && !names.includes(name) && environment[name]?.trim() !== '')
    .map(name => ({ name, meant: names.find(known => distance(name, known) <= slip) ?? null }));
}

/** Levenshtein's: letters to add, leave out or exchange. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...to].entries()) {
      const exchanged = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(exchanged, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
