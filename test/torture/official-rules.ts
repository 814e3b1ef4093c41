import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
const root = join(import.meta.dirname, '../..');
const place = '../shared/vectors/en16931';
const pathOf = (name: RuleSet) => join(root, place, `${name}-CII-validation.xslt`);

/** Rules by the name of their file: CEN's of EN 16931, and KoSIT's of XRechnung. */
export type RuleSet = 'EN16931' | 'XRechnung';

/** Why the official rules cannot run here, or null. */
export function noRules(name: RuleSet): string | null {
  return existsSync(pathOf(name)) ? null : `there is no ${name}-CII-validation.xslt in ${place}`;
}

/** The identifiers of the fatal rules that the XML breaks. */
export type FatalRules = (xml: string) => string[];

/** Compiles the rules, which are XSLT 2. The result is kept, because it takes half a minute. */
export function officialRules(name: RuleSet): FatalRules {
  const rules = pathOf(name);
  const { size, mtimeMs } = statSync(rules);
  const folder = join(root, 'node_modules/.cache/en16931');
  const compiled = join(folder, `${name}-${size}-${Math.trunc(mtimeMs)}.sef.json`);
  if (!existsSync(compiled)) {
    mkdirSync(folder, { recursive: true });
    const compiler = require.resolve('xslt3/xslt3.js');
    const args = [compiler, `-xsl:${rules}`, `-export:${compiled}`, '-nogo', '-relocate:on'];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`the rules were not compiled: ${stderr}`);
  }
  const { transform } = require('saxon-js') as {
    transform(options: object, mode: 'sync'): { readonly principalResult: string };
  };
  const stylesheetInternal = JSON.parse(readFileSync(compiled, 'utf8')) as object;
  return xml => {
    const options = { stylesheetInternal, sourceText: xml, destination: 'serialized' };
    const { principalResult } = transform(options, 'sync');
    const failed = [...principalResult.matchAll(/<svrl:failed-assert\b[^>]*>/g)].map(([tag]) => tag);
    const fatal = failed.filter(tag => tag.includes('flag="fatal"'));
    return [...new Set(fatal.map(tag => / id="([^"]+)"/.exec(tag)?.[1] ?? tag))];
  };
}
