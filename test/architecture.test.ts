import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = normalize(join(import.meta.dirname, '..'));
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'src', 'demo'], {
  cwd: root,
})
  .toString()
  .split('\n')
  .filter(file => file.endsWith('.ts'));

interface Import {
  readonly file: string;
  readonly target: string;
  readonly typeOnly: boolean;
}

const importPattern =
  /^(?:import|export)\s(type\s)?[^'"]*?from\s+['"](\.[^'"]+)['"]|import\(\s*['"](\.[^'"]+)['"]\s*\)/gm;

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(importPattern)].map(match => ({
    file,
    target: normalize(join(dirname(file), match[2] ?? match[3] ?? '')),
    typeOnly: match[1] !== undefined,
  }));
}

const imports = files.flatMap(importsOf);
const show = (found: readonly Import[]) => found.map(({ file, target }) => `${file} -> ${target}`);

/** What each part of the house may import besides itself. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  core: [],
  api: ['core'],
  webhooks: ['core', 'api'],
  proxy: ['core', 'api'],
  element: ['core', 'api'],
  pages: ['core', 'api', 'element'],
  dashboard: ['core', 'api'],
  cli: ['core', 'api', 'server'],
  sandbox: ['core', 'api', 'server'],
  server: ['core', 'api', 'webhooks', 'proxy', 'sandbox'],
};

const partOf = (file: string) => file.split('/')[1] ?? '';

/** Modules of the server, and the other modules each may reach. */
const modules: Readonly<Record<string, readonly string[]>> = {
  merchants: [],
  ledger: ['merchants'],
  quotes: ['merchants'],
  payments: ['quotes', 'ledger', 'merchants'],
  submission: [],
  settlement: ['ledger', 'submission'],
};
const moduleOf = (file: string) => /^src\/server\/([^/]+)\//.exec(file)?.[1] ?? '';
const isRouteOrRoot = (file: string) => file === 'src/server/app.ts' || file === 'src/server/main.ts';

describe('the house', () => {
  it('lets imports point one way only', () => {
    const wrong = imports.filter(({ file, target }) => {
      const [from, to] = [partOf(file), partOf(target)];
      return file.startsWith('src/') && target.startsWith('src/') && from !== to && !(allowed[from] ?? []).includes(to);
    });
    expect(show(wrong)).toEqual([]);
  });

  it('keeps the sandbox out of the server, but where the app is put together', () => {
    const roots = ['src/server/app.ts', 'src/server/sandbox.ts'];
    const wrong = imports.filter(
      ({ file, target }) =>
        file.startsWith('src/server/') && target.startsWith('src/sandbox/') && !roots.includes(file),
    );
    expect(show(wrong)).toEqual([]);
  });

  it('lets the sandbox know only contracts and the database of the server', () => {
    const known = /^src\/server\/(rails\/rail|rates\/rate-source|db\/|http\/(caller|once|list))/;
    const wrong = imports.filter(
      ({ file, target }) => file.startsWith('src/sandbox/') && target.startsWith('src/server/') && !known.test(target),
    );
    expect(show(wrong)).toEqual([]);
  });

  it('lets modules reach each other along the drawn lines only', () => {
    const wrong = imports.filter(({ file, target }) => {
      const [from, to] = [moduleOf(file), moduleOf(target)];
      const isModule = from in modules && to in modules && from !== to;
      return isModule && !(modules[from] ?? []).includes(to) && !isRouteOrRoot(file);
    });
    expect(show(wrong)).toEqual([]);
  });

  const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const sources = files
    .filter(file => file.startsWith('src/'))
    .map(file => ({ file, text: readFileSync(join(root, file), 'utf8') }));

  it('keeps SQL in stores, db and events', () => {
    const sql = /\bsql`|\.(?:selectFrom|insertInto|updateTable|deleteFrom)\(|pool\.query\(/;
    const home = /\.store\.ts$|^src\/server\/(db|events)\//;
    expect(sources.filter(({ file, text }) => !home.test(file) && sql.test(text)).map(({ file }) => file)).toEqual([]);
  });

  it('keeps HTTP in routes, pages and http', () => {
    const http = /\b(?:app|instance)\.(?:get|post|patch|put|delete)(?:<[^(]*>)?\(\s*['"`]\//;
    const home = /\.routes\.ts$|^src\/server\/http\/|^src\/sandbox\/|^demo\//;
    expect(sources.filter(({ file, text }) => !home.test(file) && http.test(text)).map(({ file }) => file)).toEqual([]);
  });

  it('keeps the Stellar SDK behind the one folder that knows transactions', () => {
    const sdk = /from '@stellar\/stellar-sdk/;
    const home = /^src\/(server|sandbox)\/stellar\//;
    expect(sources.filter(({ file, text }) => !home.test(file) && sdk.test(text)).map(({ file }) => file)).toEqual([]);
  });

  it('reads the time in core/clock alone', () => {
    const time = /\bDate\.now\(\)|new Date\(\)/;
    const home = /^src\/core\/clock\.ts$/;
    expect(sources.filter(({ file, text }) => !home.test(file) && time.test(text)).map(({ file }) => file)).toEqual([]);
  });

  it('rounds in core/money alone', () => {
    const rounding = /Math\.(?:round|ceil)\(|\.toFixed\(/;
    const money = /^src\/(core\/|sandbox\/|server\/(payments|quotes|ledger|rates|rails)\/)/;
    const home = /^src\/core\/money\.ts$/;
    const found = sources.filter(({ file, text }) => money.test(file) && !home.test(file) && rounding.test(text));
    expect(found.map(({ file }) => file)).toEqual([]);
  });

  it('keeps files at 300 lines, without any, default exports, or names that say nothing', () => {
    expect(sources.filter(({ text }) => text.split('\n').length > 301).map(({ file }) => file)).toEqual([]);
    expect(
      sources
        .filter(({ text }) => /:\s*any\b|\bas any\b|@ts-ignore/.test(withoutComments(text)))
        .map(({ file }) => file),
    ).toEqual([]);
    expect(sources.filter(({ text }) => /^export default/m.test(text)).map(({ file }) => file)).toEqual([]);
    expect(files.filter(file => /(^|\/)(utils?|helpers?|common|types|constants)(\.ts|\/)/.test(file))).toEqual([]);
  });
});
