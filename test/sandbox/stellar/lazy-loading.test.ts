import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

/** All files that a file loads: its imports other than type imports, recursively. */
async function loadedWith(file: string, found: Set<string> = new Set()): Promise<Set<string>> {
  if (found.has(file)) return found;
  found.add(file);
  const text = file.endsWith('.ts') ? await readFile(file, 'utf8') : '';
  for (const [, clause = '', from = ''] of text.matchAll(/^(?:import|export) ([^;]*?) from '([^']+)';/gm)) {
    const isForTypes = clause.startsWith('type ') || /^\{(\s*type [^,}]+,?)+\s*\}$/.test(clause);
    if (!isForTypes) await loadedWith(from.startsWith('.') ? join(dirname(file), from) : from, found);
  }
  return found;
}

it('loads the SDK and the ledger at their first use, not when the server starts', async () => {
  const loaded = [...(await loadedWith('src/sandbox/stellar/index.ts'))];
  expect(loaded.length).toBeGreaterThan(3);
  const heavy = /@stellar|sandbox\/stellar\/(core|horizon\/answers|sandbox-network)/;
  expect(loaded.filter(file => heavy.test(file))).toEqual([]);
});
