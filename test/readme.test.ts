import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import type { PaymentMethod } from '../src/api/payment.ts';
import { apiDescription } from '../src/server/platform/http/openapi/openapi-text.ts';
import { examplePayment } from '../src/server/platform/pages/welcome.ts';
import { settings } from '../src/server/settings/config.ts';

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const readme = read('README.md');
const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter(file =>
  file.endsWith('.md'),
);
const pages = ['README.md', 'CHANGELOG.md', ...docs.map(file => `docs/${file}`)];
const sectionOf = (title: string) => readme.split(/^## /m).find(section => section.startsWith(`${title}\n`)) ?? '';

/** The word for each payment method in the README. */
const ways: Readonly<Record<PaymentMethod, RegExp>> = {
  card: /card/,
  bank_transfer: /bank/,
  crypto: /crypto/,
  mobile_money: /mobile money/,
};

describe('the documentation', () => {
  it('lists every setting of the program', () => {
    const rows = Object.values(settings).map(
      setting =>
        `| \`${setting.name}\` | ${setting.default === undefined ? '' : `\`${setting.default}\``} | ${setting.help} |`,
    );
    const table = /<!-- settings -->\n\|.*\n\|.*\n([\s\S]*?)\n<!-- \/settings -->/.exec(read('docs/settings.md'))?.[1];
    expect(table?.split('\n')).toEqual(rows);
  });

  it.each(pages)('%s links to existing files, and names commands of package.json', page => {
    const text = read(page);
    const targets = [...text.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(match => match[1] ?? '');
    expect(targets.filter(target => !existsSync(join(root, dirname(page), target)))).toEqual([]);
    const named = [...text.matchAll(/npm (?:run )?([a-z]+)/g)].map(match => match[1] ?? '');
    const known = ['ci', 'prune', 'install', 'package', 'and', ...Object.keys(packageJson.scripts)];
    expect(named.filter(name => !known.includes(name))).toEqual([]);
  });

  it('has one change of at most 220 characters per changelog line', () => {
    const lines = read('CHANGELOG.md').split('\n');
    expect(lines.filter(line => line.length > 220)).toEqual([]);
    expect(lines.filter(line => !/^(#.*|- [A-Z][^:]*: .*|)$/.test(line))).toEqual([]);
  });
});

describe('the README', () => {
  it('has no line over 400 characters', () => {
    expect(readme.split('\n').filter(line => line.length > 400)).toEqual([]);
  });

  it.each(Object.entries(ways))(
    'names %s in its introduction, in the table of what works, and in the tag',
    (method, words) => {
      expect(readme.split('\n')[2]).toMatch(words);
      expect(sectionOf('What works')).toMatch(words);
      expect(/payment-methods="([^"]+)"/.exec(readme)?.[1]?.split(',')).toContain(method);
    },
  );

  it('states for every figure whether the goal was met, and the command', () => {
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

/** What the snippets import from the shop that uses them. */
const shopFiles = {
  'shop.ts': `import type { CreatePayment, Metadata } from 'pay-checkout/proxy';
    export declare function visitorOf(request: Request): Promise<string | null>;
    export declare function basketOf(request: Request): Promise<readonly string[]>;
    export declare function paymentFor(basket: readonly string[]): CreatePayment;
    export declare function shipIfPriceIs(order: Metadata[string] | undefined, amount: number, currency: string): Promise<void>;`,
  'payroll.ts': `import type { CreatePayout } from 'pay-checkout/client';
    export declare const wages: CreatePayout[];`,
};

it('the TypeScript snippets of both READMEs compile under strict settings', () => {
  const folder = join(root, 'dist/readme');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const texts = `${readme}\n${read('docs/packages/pay-checkout.md')}`;
  const snippets = [...texts.matchAll(/^```(tsx?)\n([\s\S]*?)^```$/gm)];
  expect(snippets.length).toBeGreaterThan(6);
  for (const [name, text] of Object.entries(shopFiles)) writeFileSync(join(folder, name), text);
  for (const [index, [, type, text = '']] of snippets.entries())
    writeFileSync(join(folder, `snippet-${index}.${type}`), text);
  const entries = Object.entries(packageJson.exports).flatMap(([name, target]) =>
    typeof target === 'string'
      ? []
      : [
          [
            name.replace('.', 'pay-checkout'),
            [`../../${target.types.replace('./dist/npm', 'src').replace('.d.ts', '.ts')}`],
          ],
        ],
  );
  const compilerOptions = { jsx: 'react-jsx', paths: Object.fromEntries(entries) };
  const config = { extends: '../../tsconfig.json', compilerOptions, include: ['.'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const compile = () => execFileSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
  expect(compile).not.toThrow();
  rmSync(folder, { recursive: true });
});

describe('introductions to the service', () => {
  it('name each import of the element’s package once', () => {
    const rows = [...read('docs/packages/pay-checkout.md').matchAll(/^\| `(pay-checkout[^`]*)`/gm)].map(
      ([, path]) => path,
    );
    const known = Object.keys(packageJson.exports).map(name => name.replace('.', 'pay-checkout'));
    expect(rows.length).toBeGreaterThan(5);
    expect(rows).toEqual([...new Set(rows)].filter(path => known.includes(path ?? '')));
    expect(read('docs/packages/pay-checkout.md').match(/pay-checkout\/types/g)).toHaveLength(1);
  });

  it('offers every payment method in the first example', () => {
    expect(new Set(examplePayment.payment_methods)).toEqual(new Set(Object.keys(ways)));
  });

  it.each([
    ['the README', readme],
    ['the API description', apiDescription],
  ])('does not announce what already works: %s', (_, text) => {
    expect(text).not.toMatch(/crypto next|not in this version|coming soon/i);
  });

  it('explains payment methods and quotes in the API description', () => {
    for (const words of Object.values(ways)) expect(apiDescription.split('\n\n')[0]).toMatch(words);
    expect(apiDescription).toMatch(/^## Quotes\n[\s\S]*quote_seconds[\s\S]*quote_grace_seconds[\s\S]*^## Errors/m);
  });
});
