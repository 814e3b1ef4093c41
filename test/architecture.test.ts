import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { modules } from '../src/server/app.ts';
import { circlesOf } from './support/circles.ts';

const root = normalize(join(import.meta.dirname, '..'));
const allFilesIn = (...folders: readonly string[]) =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...folders], { cwd: root })
    .toString()
    .split('\n')
    .filter(file => file !== '' && existsSync(join(root, file)));
const filesIn = (...folders: readonly string[]) => allFilesIn(...folders).filter(file => file.endsWith('.ts'));
const files = filesIn('src', 'demo');

interface Import {
  readonly file: string;
  readonly target: string;
}

const importPattern = /^(?:import|export)\s(?:[^'"]*?from\s+)?['"](\.[^'"]+)['"]|import\(\s*['"](\.[^'"]+)['"]\s*\)/gm;

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(importPattern)].map(match => ({
    file,
    target: normalize(join(dirname(file), match[1] ?? match[2] ?? '')),
  }));
}

const imports = files.flatMap(importsOf);
const show = (found: readonly Import[]) => found.map(({ file, target }) => `${file} -> ${target}`);

/** The parts that each part of `src` may import besides itself. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  core: [],
  api: ['core'],
  webhooks: ['core', 'api'],
  proxy: ['core', 'api'],
  element: ['core', 'api'],
  frameworks: ['core', 'api', 'element'],
  pages: ['core', 'api', 'element'],
  dashboard: ['core', 'api', 'element'],
  sandbox: ['core', 'api', 'server'],
  server: ['core', 'api', 'webhooks', 'proxy', 'sandbox'],
  build: ['core', 'api', 'element', 'server'],
  cli: ['core', 'api', 'server'],
};

const partOf = (file: string) => file.split('/')[1] ?? '';

/** The other folders of the server that each folder may import. A folder that is not listed may import `platform`. */
const folders: Readonly<Record<string, readonly string[]>> = {
  // Used by every folder.
  platform: [],
  settings: ['platform', 'stellar'],
  documents: [],
  // Contracts with their adapters.
  stellar: ['outbound', 'platform'],
  rails: ['outbound', 'platform'],
  rates: ['platform', 'stellar'],
  chains: ['platform', 'stellar'],
  people: ['merchants', 'platform'],
  settlement: ['ledger', 'outbound', 'payments', 'payouts', 'platform', 'stellar'],
  payments: [
    'approvals',
    'chains',
    'documents',
    'ledger',
    'merchants',
    'outbound',
    'platform',
    'quotes',
    'rails',
    'rates',
  ],
  invoices: ['documents', 'ledger', 'merchants', 'payments', 'platform', 'quotes', 'rates'],
  payouts: ['approvals', 'chains', 'ledger', 'merchants', 'outbound', 'platform', 'rails', 'rates', 'stellar'],
  approvals: ['ledger', 'merchants', 'people', 'platform', 'rates'],
  balance: [
    'approvals',
    'chains',
    'ledger',
    'merchants',
    'outbound',
    'payments',
    'platform',
    'rails',
    'rates',
    'stellar',
  ],
  links: ['documents', 'merchants', 'payments', 'platform', 'rates'],
  ramps: [
    'approvals',
    ...['ledger', 'merchants', 'outbound', 'payments', 'payouts', 'platform', 'rates', 'settlement', 'stellar'],
  ],
  capabilities: ['chains', 'platform', 'rails', 'rates', 'settings'],
  domains: ['merchants', 'platform'],
};
const folderOf = (file: string) => /^src\/server\/(?!compose\/)([^/]+)\//.exec(file)?.[1] ?? '';

/** Files that compose the folders. No folder imports them. */
const isRoot = (file: string) => /^src\/server\/(compose\/|[^/]+$)/.test(file);

/**
 * The contract of each folder with adapters. Other folders import only the contract; the app's composition chooses
 * adapters.
 */
const contracts: Readonly<Record<string, RegExp>> = {
  chains: /\/chain\.ts$/,
  rails: /\/(rail|card-rail|rails|mobile-money\/collecting)\.ts$/,
  rates: /\/rates\.ts$/,
  kyc: /\/provider\.ts$/,
};

/** The files that the demo may import: published code, and the policy of pages. */
const openToDemo = /^src\/(core|api|element|proxy|webhooks)\/|^src\/server\/platform\/pages\/page-policy\.ts$/;

/** Files whose state belongs to the process: they limit its memory and its child processes, whatever server asks. */
const sharedByProcess: readonly string[] = [
  'documents/process/drawing-pool.ts',
  'documents/process/pdf-cache.ts',
  'documents/qr-code.ts',
];

/** Files outside Stellar's folders that use its words, each with its reason. `memo` is a word of the API, for any chain. */
const speaksStellar: Readonly<Record<string, string>> = {
  'merchants/account.ts': 'checks `settlement.stellar_address` of the API',
  'payments/checkout/field-notes.ts': 'examples of the API text',
  'payments/checkout/payment-create.service.ts': 'checks `settlement_address`, which is on Stellar',
  'payments/crypto/crypto-options.service.ts': 'the error code `settlement_no_trustline` of the API',
  'payments/crypto/crypto-price.service.ts': 'the error code `settlement_no_trustline` of the API',
  'payouts/destinations/wallet.ts': 'the rules of wallets on Stellar',
  'payouts/intake/bulk.routes.ts': 'text of the API',
  'payouts/sending/payout-purpose.ts': 'the failure code `no_trustline` of the API',
  'platform/recurrence.ts': 'the horizon of a recurrence, which is a time',
  'rates/rates.ts': 'settlement is on Stellar, so its coin is always listed',
};

/** Every module may read this table, for the test clock; only the module `merchants` writes it. */
const readByAll: readonly string[] = ['merchants'];

const manifests = filesIn('src/server').filter(file => /(^|\/)module\.ts$|^src\/server\/compose\//.test(file));

function folderOfModule(name: string): string {
  const file = manifests.find(manifest =>
    new RegExp(`defineModule<[^]*?\\bname: '${name}'`).test(readFileSync(join(root, manifest), 'utf8')),
  );
  return /^src\/server\/([^/]+)\//.exec(file ?? '')?.[1] ?? '';
}

/** The server's folder of each table: the folder of the manifest that names it. */
function tableOwners(): ReadonlyMap<string, string> {
  return new Map(
    modules.flatMap(({ name, tables = [] }) => tables.map(table => [table, folderOfModule(name)] as const)),
  );
}

/** Tables that a store uses: as an argument `'table'`, or after a keyword of SQL. */
function tablesIn(text: string, known: Iterable<string>): string[] {
  const plain = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|^\s*--.*$/gm, '');
  return [...known].filter(table => {
    const call = readByAll.includes(table) ? '(insertInto|updateTable|deleteFrom)\\(' : '';
    const keyword = readByAll.includes(table) ? '(into|update|delete from)' : '(from|join|into|update)';
    return new RegExp(`${call}['"\`]${table}( as \\w+)?['"\`]|\\b${keyword}\\s+${table}\\b`, 'i').test(plain);
  });
}

describe('the architecture', () => {
  it('allows imports in one direction only', () => {
    const wrong = imports.filter(({ file, target }) => {
      const [from, to] = [partOf(file), partOf(target)];
      return file.startsWith('src/') && target.startsWith('src/') && from !== to && !(allowed[from] ?? []).includes(to);
    });
    expect(show(wrong)).toEqual([]);
  });

  it('allows the server to import the sandbox only in compose/', () => {
    const wrong = imports.filter(
      ({ file, target }) => file.startsWith('src/server/') && target.startsWith('src/sandbox/') && !isRoot(file),
    );
    expect(show(wrong)).toEqual([]);
  });

  it('allows the sandbox to import only contracts and the database of the server', () => {
    const known =
      /^src\/server\/(rails\/(rail|card-rail|file-exchange|mobile-money\/collecting)|outbound\/sender|rates\/rates|kyc\/(provider|screen)|platform\/(db\/|http\/(access\/caller|idempotency\/idempotent-execution|list)))/;
    const wrong = imports.filter(
      ({ file, target }) => file.startsWith('src/sandbox/') && target.startsWith('src/server/') && !known.test(target),
    );
    expect(show(wrong)).toEqual([]);
  });

  it('allows imports of the sandbox network only through its index.ts', () => {
    const wrong = [...imports, ...filesIn('test').flatMap(importsOf)].filter(
      ({ file, target }) =>
        target.startsWith('src/sandbox/stellar/') &&
        target !== 'src/sandbox/stellar/index.ts' &&
        !/^(src|test)\/sandbox\/stellar\//.test(file),
    );
    expect(show(wrong)).toEqual([]);
  });

  it('allows server folders to import each other only as listed', () => {
    const wrong = imports.filter(({ file, target }) => {
      const [from, to] = [folderOf(file), folderOf(target)];
      return from !== '' && to !== '' && from !== to && !(folders[from] ?? ['platform']).includes(to);
    });
    expect(show(wrong)).toEqual([]);
  });

  it('allows no file to import the file that composes its folder', () => {
    expect(show(imports.filter(({ file, target }) => folderOf(file) !== '' && isRoot(target)))).toEqual([]);
  });

  it('allows modules to import adapters only through their contract', () => {
    const wrong = imports.filter(({ file, target }) => {
      const [from, to] = [folderOf(file), folderOf(target)];
      return from !== '' && from !== to && contracts[to]?.test(target) === false;
    });
    expect(show(wrong)).toEqual([]);
  });

  it('allows the demo to import only published code, and one file to mount the demo', () => {
    const wrong = imports.filter(({ file, target }) =>
      file.startsWith('demo/')
        ? target.startsWith('src/') && !openToDemo.test(target)
        : target.startsWith('demo/') && !(file === 'src/server/compose/demo.ts' && target === 'demo/mount.ts'),
    );
    expect(show(wrong)).toEqual([]);
  });

  it('has no circular imports, type imports included', () => {
    const targets = Map.groupBy(imports, ({ file }) => file);
    expect(circlesOf(file => (targets.get(file) ?? []).map(({ target }) => target), files)).toEqual([]);
  });

  it('has no circle of server folders', () => {
    expect(circlesOf(folder => folders[folder] ?? [], Object.keys(folders))).toEqual([]);
  });

  it('has no circle of inner folders', () => {
    const isWithin = (folder: string, outer: string) => `${folder}/`.startsWith(`${outer}/`);
    // The files of a module's own folder combine its inner folders, and these share the files.
    const lines = imports
      .filter(({ file }) => file.startsWith('src/server/') && !isRoot(file))
      .map(({ file, target }) => ({ from: dirname(file), to: dirname(target) }))
      .filter(({ from, to }) => !isWithin(from, to) && !isWithin(to, from));
    const targets = Map.groupBy(lines, ({ from }) => from);
    expect(circlesOf(from => (targets.get(from) ?? []).map(({ to }) => to), [...targets.keys()])).toEqual([]);
  });

  it('parses no markup in browsers, because the policy of pages requires trusted types', () => {
    const sinks = /\bDOMParser\b|\.(inner|outer)HTML\s*=|insertAdjacentHTML|document\.write|createContextualFragment/;
    const home = /^src\/(dashboard|element|pages)\//;
    const found = sources.filter(({ file, text }) => home.test(file) && sinks.test(withoutComments(text)));
    expect(found.map(({ file }) => file)).toEqual([]);
  });

  it('keeps the words of Stellar out of code that serves any chain', () => {
    const words = /'XLM'|\bstroops?\b|\bmuxed|\bHorizon\b|trustline|\bStellarUnavailable\b|\bfriendbot\b|\bsoroban\b/i;
    const home =
      /^src\/server\/(stellar\/|compose\/|chains\/stellar-|settings\/|rates\/stellar-|platform\/http\/openapi\/)/;
    const found = sources
      .filter(({ file }) => file.startsWith('src/server/') && !home.test(file))
      .filter(({ text }) => words.test(withoutComments(text)));
    expect(found.map(({ file }) => file.replace('src/server/', '')).toSorted()).toEqual(
      Object.keys(speaksStellar).toSorted(),
    );
  });

  const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const sources = files
    .filter(file => file.startsWith('src/'))
    .map(file => ({ file, text: readFileSync(join(root, file), 'utf8') }));

  it('allows only the owning module to read and write a table', () => {
    const owners = tableOwners();
    const stores = sources.filter(({ file }) => file.startsWith('src/server/') && file.endsWith('.store.ts'));
    const found = stores.flatMap(({ file, text }) =>
      tablesIn(text, owners.keys())
        .filter(table => owners.get(table) !== folderOf(file))
        .map(table => `${file}: ${table}`),
    );
    expect(found).toEqual([]);
  });

  const migrations = allFilesIn('src/server/platform/db/migrations').map(file =>
    readFileSync(join(root, file), 'utf8'),
  );

  it('names every trigger that writes a table of another module, in the manifest of that module', () => {
    const owners = tableOwners();
    const text = migrations.join('\n');
    const functions = text.matchAll(/^create function (\w+)\(\) returns trigger[^$]*\$\$([\s\S]*?)\$\$;/gm);
    const written = new Map(
      [...functions].map(([, name = '', body = '']) => [
        name,
        [...body.matchAll(/\b(?:insert into|update|delete from) (\w+)/g)].flatMap(
          ([, table = '']) => owners.get(table) ?? [],
        ),
      ]),
    );
    const triggers = text.matchAll(/^create trigger (\w+)[^;]*?\son (\w+)[^;]*?execute function (\w+)/gm);
    const foreign = [...triggers].flatMap(([, name = '', table = '', called = '']) =>
      [...new Set(written.get(called))].flatMap(owner => (owner === owners.get(table) ? [] : `${owner} ${name}`)),
    );
    const named = modules.flatMap(({ name, triggers = [] }) => triggers.map(one => `${folderOfModule(name)} ${one}`));
    expect(named.toSorted()).toEqual(foreign.toSorted());
  });

  it('has every table of the migrations in exactly one manifest', () => {
    const made = migrations.flatMap(text =>
      [...text.matchAll(/^create (?:table|view) (?!sandbox\.|audit_)(?:if not exists )?([a-z_]+)/gm)].map(
        match => match[1] ?? '',
      ),
    );
    const dropped = migrations.flatMap(text =>
      [...text.matchAll(/^drop table ([a-z_]+)/gm)].map(match => match[1] ?? ''),
    );
    const declared = modules.flatMap(({ tables = [] }) => tables);
    // The migrator creates `schema_migrations`.
    expect(declared.toSorted()).toEqual(
      [...made.filter(table => !dropped.includes(table)), 'schema_migrations'].toSorted(),
    );
  });

  it('allows SQL only in stores, platform/db and platform/events', () => {
    const sql = /\bsql`|\.(?:selectFrom|insertInto|updateTable|deleteFrom)\(|pool\.query\(/;
    const home = /\.store\.ts$|^src\/server\/platform\/(db|events)\//;
    expect(sources.filter(({ file, text }) => !home.test(file) && sql.test(text)).map(({ file }) => file)).toEqual([]);
  });

  it('allows HTTP only in routes, pages and platform/http', () => {
    const http =
      /\b(?:app|http|instance|scope|server)\.(?:route\(|(?:get|post|patch|put|delete|all)(?:<[^(]*>)?\(\s*['"`]\/)/;
    const home = /\.routes\.ts$|^src\/server\/platform\/(http|pages)\//;
    expect(sources.filter(({ file, text }) => !home.test(file) && http.test(text)).map(({ file }) => file)).toEqual([]);
  });

  it('allows the Stellar SDK only in the folder that handles transactions', () => {
    const sdk = /from '@stellar\/stellar-sdk/;
    const home = /^src\/(server|sandbox)\/stellar\//;
    expect(sources.filter(({ file, text }) => !home.test(file) && sdk.test(text)).map(({ file }) => file)).toEqual([]);
  });

  it('reads the time only in core/clock', () => {
    const time = /\bDate\.now\(\)|new Date\(\)/;
    const home = /^src\/(core\/clock\.ts$|build\/)/;
    expect(sources.filter(({ file, text }) => !home.test(file) && time.test(text)).map(({ file }) => file)).toEqual([]);
  });

  it('keeps changing state in the object that owns it, not in a module', () => {
    // A cache (`createCache`) is bounded and gives the same value for a key to every owner. A WeakMap has owners as keys.
    const state = /^(?:export )?(?:let |const \w+(?:: (?!Readonly)[^=]*)? = (?:new (?:Map|Set)\b|\[\]))/m;
    const found = sources.filter(({ file, text }) => file.startsWith('src/server/') && state.test(text));
    expect(found.map(({ file }) => file).toSorted()).toEqual(sharedByProcess.map(file => `src/server/${file}`));
  });

  it('lets no sweep poll: its work is declared as due, or it runs every ten seconds at most', () => {
    const polling = (text: string) =>
      [...text.matchAll(/\beveryMs: ([\d_]+)(?! \*|[\d_])/g)].some(
        ([, ms = '']) => Number(ms.replaceAll('_', '')) < 10_000,
      );
    const found = sources.filter(({ file, text }) => file.startsWith('src/server/') && polling(text));
    expect(found.map(({ file }) => file)).toEqual([]);
  });

  it('rounds only in core/money', () => {
    const rounding = /Math\.(?:round|ceil)\(|\.toFixed\(/;
    const money =
      /^src\/(core\/|sandbox\/|server\/(payments|quotes|ledger|rates|rails|chains|settlement|outbound|stellar)\/)/;
    const home = /^src\/core\/money\.ts$/;
    const found = sources.filter(({ file, text }) => money.test(file) && !home.test(file) && rounding.test(text));
    expect(found.map(({ file }) => file)).toEqual([]);
  });

  it('has at most 18 files in a folder, except migrations, which are never moved', () => {
    const files = allFilesIn('src', 'demo').filter(file => !file.endsWith('.sql'));
    const counts = Map.groupBy(files, file => dirname(file));
    const crowded = [...counts].filter(([, inside]) => inside.length > 18).map(([folder]) => folder);
    expect(crowded).toEqual([]);
  });

  it('has at most 400 lines in a file, no any, no default exports and no vague names', () => {
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
