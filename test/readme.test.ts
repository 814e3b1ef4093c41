import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { settings } from '../src/server/config.ts';

const root = join(import.meta.dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

describe('the README', () => {
  it('lists every setting as the program knows it', () => {
    const rows = Object.values(settings).map(
      setting =>
        `| \`${setting.name}\` | ${setting.default === '' ? '' : `\`${setting.default}\``} | ${setting.help} |`,
    );
    const table = /<!-- settings -->\n\|.*\n\|.*\n([\s\S]*?)\n<!-- \/settings -->/.exec(readme)?.[1];
    expect(table?.split('\n')).toEqual(rows);
  });

  it('points at files that exist', () => {
    const targets = [...readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(match => match[1] ?? '');
    expect(targets.filter(target => !existsSync(join(root, target)))).toEqual([]);
  });

  it('names commands that package.json has', () => {
    const named = [...readme.matchAll(/npm (?:run )?([a-z]+)/g)]
      .map(match => match[1] ?? '')
      .filter(name => name !== 'ci');
    expect(named.filter(name => name !== 'and' && !(name in packageJson.scripts))).toEqual([]);
  });
});
