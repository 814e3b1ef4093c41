import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = normalize(join(import.meta.dirname, '..'));
const filesIn = (...folders: readonly string[]) =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...folders], { cwd: root })
    .toString()
    .split('\n')
    .filter(file => file.endsWith('.ts'));
const files = filesIn('src', 'demo');

interface Import {
  readonly file: string;
  readonly target: string;
  readonly typeOnly: boolean;
  /** By `import()`, when it is wanted. */
  readonly lazy: boolean;
}

const importPattern =
  /^(?:import|export)\s(type\s)?(?:[^'"]*?from\s+)?['"](\.[^'"]+)['"]|import\(\s*['"](\.[^'"]+)['"]\s*\)/gm;

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(importPattern)].map(match => ({
    file,
    target: normalize(join(dirname(file), match[2] ?? match[3] ?? '')),
    typeOnly: match[1] !== undefined,
    lazy: match[3] !== undefined,
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
  sandbox: ['core', 'api', 'server'],
  server: ['core', 'api', 'webhooks', 'proxy', 'sandbox'],
  build: ['server'],
};

const partOf = (file: string) => file.split('/')[1] ?? '';

/** Every folder of the server, and the other folders each may reach. What is not listed is refused. */
const folders: Readonly<Record<string, readonly string[]>> = {
  // What every module stands on.
  platform: [],
  settings: ['platform', 'stellar'],
  documents: [],
  // Contracts with their adapters.
  stellar: ['platform'],
  rails: [],
  rates: ['platform', 'stellar'],
  chains: ['platform', 'rails', 'stellar'],
  // Modules.
  merchants: ['platform'],
  ledger: ['platform'],
  quotes: ['platform'],
  settlement: ['chains', 'platform', 'ledger', 'rails', 'stellar'],
  payments: ['chains', 'ledger', 'merchants', 'platform', 'quotes', 'rails', 'rates'],
  invoices: ['documents', 'ledger', 'merchants', 'payments', 'platform', 'quotes', 'rates'],
  links: ['documents', 'merchants', 'payments', 'platform', 'rates'],
};
const folderOf = (file: string) => /^src\/server\/(?!compose\/)([^/]+)\//.exec(file)?.[1] ?? '';

/** Files that put others together: nothing in a folder knows them. */
const isRoot = (file: string) => /^src\/server\/(compose\/|[^/]+$)/.test(file);

/** In a folder of adapters the contract, which alone is for other folders; adapters are chosen where the app is put together. */
const contracts: Readonly<Record<string, RegExp>> = {
  chains: /\/chain\.ts$/,
  rails: /\/rail\.ts$/,
  rates: /\/rates\.ts$/,
};

/** What of the service the demo may use: what is published, and the policy of its pages. */
const openToDemo = /^src\/(core|api|element|proxy|webhooks)\/|^src\/server\/platform\/pages\/page-policy\.ts$/;

describe('the house', () => {
  it('lets imports point one way only', () => {
    const wrong = imports.filter(({ file, target }) => {
      const [from, to] = [partOf(file), partOf(target)];
      return file.startsWith('src/') && target.startsWith('src/') && from !== to && !(allowed[from] ?? []).includes(to);
    });
    expect(show(wrong)).toEqual([]);
  });

  it('keeps the sandbox out of the server, but where the app is put together', () => {
    const wrong = imports.filter(
      ({ file, target }) => file.startsWith('src/server/') && target.startsWith('src/sandbox/') && !isRoot(file),
    );
    expect(show(wrong)).toEqual([]);
  });

  it('lets the sandbox know only contracts and the database of the server', () => {
    const known =
      /^src\/server\/(rails\/rail|rates\/rates|platform\/(db\/|http\/(access\/caller|idempotency\/idempotent-execution|list)))/;
    const wrong = imports.filter(
      ({ file, target }) => file.startsWith('src/sandbox/') && target.startsWith('src/server/') && !known.test(target),
    );
    expect(show(wrong)).toEqual([]);
  });

  it('gives the sandbox network one door: only it and its own tests import its other files', () => {
    const wrong = [...imports, ...filesIn('test').flatMap(importsOf)].filter(
      ({ file, target }) =>
        target.startsWith('src/sandbox/stellar/') &&
        target !== 'src/sandbox/stellar/index.ts' &&
        !/^(src|test)\/sandbox\/stellar\//.test(file),
    );
    expect(show(wrong)).toEqual([]);
  });

  it('lets folders of the server reach each other along the drawn lines only', () => {
    const wrong = imports.filter(({ file, target }) => {
      const [from, to] = [folderOf(file), folderOf(target)];
      return from !== '' && to !== '' && from !== to && !(folders[from] ?? []).includes(to);
    });
    expect(show(wrong)).toEqual([]);
    expect(files.map(folderOf).filter(folder => folder !== '' && !(folder in folders))).toEqual([]);
  });

  it('lets nothing in a folder know what puts it together', () => {
    expect(show(imports.filter(({ file, target }) => folderOf(file) !== '' && isRoot(target)))).toEqual([]);
  });

  it('lets modules know adapters by their contract only', () => {
    const wrong = imports.filter(({ file, target }) => {
      const [from, to] = [folderOf(file), folderOf(target)];
      return from !== '' && from !== to && contracts[to]?.test(target) === false;
    });
    expect(show(wrong)).toEqual([]);
  });

  it('lets the demo be a customer: it uses what is published, and one place mounts it', () => {
    const wrong = imports.filter(({ file, target }) =>
      file.startsWith('demo/')
        ? target.startsWith('src/') && !openToDemo.test(target)
        : target.startsWith('demo/') && !(file === 'src/server/compose/demo.ts' && target === 'demo/mount.ts'),
    );
    expect(show(wrong)).toEqual([]);
  });

  it('has no circle of files that need each other to be loaded', () => {
    const needs = Map.groupBy(
      imports.filter(({ typeOnly, lazy }) => !typeOnly && !lazy),
      ({ file }) => file,
    );
    const state = new Map<string, 'open' | 'done'>();
    const circles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (state.get(file) === 'open') circles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
      if (state.has(file)) return;
      state.set(file, 'open');
      for (const { target } of needs.get(file) ?? []) visit(target, [...path, file]);
      state.set(file, 'done');
    };
    for (const file of files) visit(file, []);
    expect(circles).toEqual([]);
  });

  it('keeps what is Stellar’s own out of modules that take money on any chain', () => {
    const stellar = /'XLM'|\bStellarUnavailable\b/;
    const home = /^src\/server\/(payments|ledger|quotes|merchants)\//;
    const found = sources.filter(({ file, text }) => home.test(file) && stellar.test(withoutComments(text)));
    expect(found.map(({ file }) => file)).toEqual([]);
  });

  const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const sources = files
    .filter(file => file.startsWith('src/'))
    .map(file => ({ file, text: readFileSync(join(root, file), 'utf8') }));

  it('keeps SQL in stores, db and events', () => {
    const sql = /\bsql`|\.(?:selectFrom|insertInto|updateTable|deleteFrom)\(|pool\.query\(/;
    const home = /\.store\.ts$|^src\/server\/platform\/(db|events)\//;
    expect(sources.filter(({ file, text }) => !home.test(file) && sql.test(text)).map(({ file }) => file)).toEqual([]);
  });

  it('keeps HTTP in routes, pages and http', () => {
    const http =
      /\b(?:app|http|instance|scope|server)\.(?:route\(|(?:get|post|patch|put|delete|all)(?:<[^(]*>)?\(\s*['"`]\/)/;
    const home = /\.routes\.ts$|^src\/server\/platform\/(http|pages)\//;
    expect(sources.filter(({ file, text }) => !home.test(file) && http.test(text)).map(({ file }) => file)).toEqual([]);
  });

  it('keeps the Stellar SDK behind the one folder that knows transactions', () => {
    const sdk = /from '@stellar\/stellar-sdk/;
    const home = /^src\/(server|sandbox)\/stellar\//;
    expect(sources.filter(({ file, text }) => !home.test(file) && sdk.test(text)).map(({ file }) => file)).toEqual([]);
  });

  it('reads the time in core/clock alone', () => {
    const time = /\bDate\.now\(\)|new Date\(\)/;
    const home = /^src\/(core\/clock\.ts$|build\/)/;
    expect(sources.filter(({ file, text }) => !home.test(file) && time.test(text)).map(({ file }) => file)).toEqual([]);
  });

  it('rounds in core/money alone', () => {
    const rounding = /Math\.(?:round|ceil)\(|\.toFixed\(/;
    const money =
      /^src\/(core\/|sandbox\/|server\/(payments|quotes|ledger|rates|rails|chains|settlement|outbound|stellar)\/)/;
    const home = /^src\/core\/money\.ts$/;
    const found = sources.filter(({ file, text }) => money.test(file) && !home.test(file) && rounding.test(text));
    expect(found.map(({ file }) => file)).toEqual([]);
  });

  it('keeps files at 400 lines, without any, default exports, or names that say nothing', () => {
    expect(sources.filter(({ text }) => text.split('\n').length > 401).map(({ file }) => file)).toEqual([]);
    expect(
      sources
        .filter(({ text }) => /:\s*any\b|\bas any\b|@ts-ignore/.test(withoutComments(text)))
        .map(({ file }) => file),
    ).toEqual([]);
    expect(sources.filter(({ text }) => /^export default/m.test(text)).map(({ file }) => file)).toEqual([]);
    expect(files.filter(file => /(^|\/)(utils?|helpers?|common|types|constants)(\.ts|\/)/.test(file))).toEqual([]);
  });
});
