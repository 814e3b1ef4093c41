import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import type { PaymentMethod } from '../src/api/payment.ts';
import { apiDescription } from '../src/server/platform/http/openapi/openapi-text.ts';
import { examplePayment } from '../src/server/platform/pages/welcome.ts';
import { settings } from '../src/server/settings/config.ts';

const root = join(import.meta.dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const sectionOf = (title: string) => readme.split(/^## /m).find(section => section.startsWith(`${title}\n`)) ?? '';

/** What readers call each way to pay. */
const ways: Readonly<Record<PaymentMethod, RegExp>> = { card: /card/, bank_transfer: /bank/, crypto: /crypto/ };

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

  it.each(Object.entries(ways))('tells of %s at once, among what is in it, and in the tag', (method, words) => {
    expect(readme.split('\n')[2]).toMatch(words);
    expect(sectionOf('What is in it')).toMatch(words);
    expect(/payment-methods="([^"]+)"/.exec(readme)?.[1]?.split(',')).toContain(method);
  });

  it('says of every figure whether the goal was met, and by which command', () => {
    const rows = /<!-- figures -->\n\|.*\n\|.*\n([\s\S]*?)\n<!-- \/figures -->/.exec(readme)?.[1]?.split('\n') ?? [];
    expect(rows.length).toBeGreaterThan(0);
    const bench = readFileSync(join(root, 'test/bench/run.ts'), 'utf8');
    for (const row of rows) {
      const [, verdict, part] = /\| (met|missed) \| `npm run bench ([a-z]+)` \|$/.exec(row) ?? [];
      expect(verdict, row).toBeDefined();
      expect(bench).toMatch(new RegExp(`^ {2}${part}: `, 'm'));
    }
  });
});

describe('what introduces the service', () => {
  it('offers every way to pay to whoever tries it first', () => {
    expect(new Set(examplePayment.payment_methods)).toEqual(new Set(Object.keys(ways)));
  });

  it.each([
    ['the README', readme],
    ['the API description', apiDescription],
  ])('promises nothing that is there already: %s', (_, text) => {
    expect(text).not.toMatch(/crypto next|not in this version|coming soon/i);
  });

  it('says in the API description how the service is paid, and how long a price counts', () => {
    for (const words of Object.values(ways)) expect(apiDescription.split('\n\n')[0]).toMatch(words);
    expect(apiDescription).toMatch(/^## Quotes\n[\s\S]*quote_seconds[\s\S]*not revalued[\s\S]*^## Errors/m);
  });
});
