import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Asset, Claimant, Keypair, Operation } from '@stellar/stellar-sdk';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { assetOf, envelopeOf, type StellarLab, startStellarLab } from './stellar-lab.ts';

/** Path of Horizon's OpenAPI description, which is not part of the repository. */
const descriptionPath = '../shared/vectors/horizon/openapi.yml';
const file = join(import.meta.dirname, '../../..', descriptionPath);

interface Content {
  readonly schema: object;
  readonly examples?: Readonly<Record<string, { readonly $ref?: string; readonly value?: unknown }>>;
}
interface Method {
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, Content>> }>>;
}
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Method>>>>;
  readonly components: { readonly examples: Readonly<Record<string, { readonly value: unknown }>> };
}

let lab: StellarLab;
let pathValues: Readonly<Record<string, string>>;
let description: Description;
let ajv: Ajv;

/** All `GET` requests; `seedNetwork` supplies the values in braces. */
const getRequests: readonly (readonly [path: string, query: string])[] = [
  ['/accounts', '?asset={asset}&limit=2'],
  ['/accounts/{account_id}', ''],
  ['/accounts/{account_id}/transactions', '?limit=200'],
  ['/accounts/{account_id}/operations', '?limit=200'],
  ['/accounts/{account_id}/payments', '?limit=200'],
  ['/accounts/{account_id}/offers', ''],
  ['/accounts/{account_id}/data/{key}', ''],
  ['/assets', ''],
  ['/claimable_balances', ''],
  ['/claimable_balances/{claimable_balance_id}', ''],
  ['/claimable_balances/{claimable_balance_id}/transactions', ''],
  ['/claimable_balances/{claimable_balance_id}/operations', ''],
  ['/fee_stats', ''],
  ['/ledgers', ''],
  ['/ledgers/{sequence}', ''],
  ['/ledgers/{sequence}/transactions', ''],
  ['/ledgers/{sequence}/payments', ''],
  ['/ledgers/{sequence}/operations', ''],
  ['/liquidity_pools', ''],
  ['/liquidity_pools/{liquidity_pool_id}', ''],
  ['/liquidity_pools/{liquidity_pool_id}/transactions', ''],
  ['/liquidity_pools/{liquidity_pool_id}/operations', ''],
  ['/offers', ''],
  ['/offers/{offer_id}', ''],
  ['/operations', '?limit=200'],
  ['/operations/{id}', ''],
  ['/order_book', '?selling_asset_type=native&buying_asset_type=credit_alphanum4&{buying}'],
  [
    '/paths/strict-receive',
    '?source_assets=native&destination_amount=5&destination_asset_type=credit_alphanum4&{destination}',
  ],
  ['/paths/strict-send', '?source_amount=5&source_asset_type=native&destination_assets={asset}'],
  ['/payments', '?limit=200'],
  ['/transactions', '?limit=200'],
  ['/transactions/{transaction_hash}', ''],
  ['/transactions/{transaction_hash}/operations', ''],
  ['/transactions/{transaction_hash}/payments', ''],
];

const isThere = existsSync(file);

beforeAll(async () => {
  if (!isThere) return;
  description = parse(readFileSync(file, 'utf8'));
  ajv = new Ajv({ strict: false, allErrors: true, logger: false, validateFormats: false });
  ajv.addSchema(description, 'horizon');
  lab = await startStellarLab();
  pathValues = await seedNetwork(lab);
}, 60_000);
afterAll(() => lab?.close());

/** Creates an example of each kind of object on the network. Returns the values for the paths. */
async function seedNetwork({ newAccount, send, sdk }: StellarLab): Promise<Readonly<Record<string, string>>> {
  const [payer, payee, closing] = await Promise.all([newAccount(), newAccount(), newAccount()]);
  const [usdc, xlm] = [assetOf('USDC'), Asset.native()];
  const toSelf = { sendAsset: xlm, destination: payer.publicKey(), destAsset: usdc, path: [] };
  await send(payer, [
    Operation.changeTrust({ asset: usdc }),
    Operation.pathPaymentStrictReceive({ ...toSelf, sendMax: '5000', destAmount: '50' }),
    Operation.pathPaymentStrictSend({ ...toSelf, sendAmount: '10', destMin: '1' }),
    Operation.manageSellOffer({ selling: usdc, buying: xlm, amount: '1', price: '999' }),
    Operation.manageData({ name: 'name', value: 'value' }),
    Operation.createClaimableBalance({ asset: usdc, amount: '2', claimants: [new Claimant(payee.publicKey())] }),
    Operation.createAccount({ destination: Keypair.random().publicKey(), startingBalance: '5' }),
  ]);
  await send(closing, [Operation.accountMerge({ destination: payee.publicKey() })]);
  const { hash, ledger } = await send(payer, [
    Operation.payment({ destination: payee.publicKey(), asset: xlm, amount: '3' }),
  ]);
  const first = async (list: { call(): Promise<{ readonly records: readonly { readonly id: unknown }[] }> }) =>
    String((await list.call()).records[0]?.id);
  const asset = `code=${usdc.getCode()}&X_asset_issuer=${usdc.getIssuer()}`;
  return {
    account_id: payer.publicKey(),
    key: 'name',
    transaction_hash: hash,
    sequence: String(ledger),
    asset: `${usdc.getCode()}:${usdc.getIssuer()}`,
    buying: `buying_asset_${asset}`.replace('X_', 'buying_'),
    destination: `destination_asset_${asset}`.replace('X_', 'destination_'),
    claimable_balance_id: await first(sdk.claimableBalances().claimant(payee.publicKey())),
    offer_id: await first(sdk.offers().forAccount(payer.publicKey())),
    liquidity_pool_id: await first(sdk.liquidityPools()),
    id: await first(sdk.operations().order('desc').limit(1)),
  };
}

const withValues = (text: string) => text.replace(/\{(\w+)\}/g, (_, name: string) => pathValues[name] ?? `no ${name}`);

function contentOf(path: string, method: string, status: string): Content {
  const content = description.paths[path]?.[method]?.responses[status]?.content['application/json'];
  if (content === undefined) throw new Error(`the description says nothing of ${method} ${path}`);
  return content;
}

function examplesOf({ examples = {} }: Content): readonly unknown[] {
  return Object.values(examples).map(({ $ref, value }) =>
    $ref === undefined ? value : description.components.examples[$ref.split('/').at(-1) ?? '']?.value,
  );
}

/** Violations of the schema in an answer, once for each rule. */
function faults(path: string, method: string, status: string, answer: unknown): ReadonlySet<string> {
  const pointer = ['paths', path, method, 'responses', status, 'content', 'application/json', 'schema'];
  const escaped = pointer.map(part => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')));
  const validate = ajv.getSchema(`horizon#/${escaped.join('/')}`);
  if (validate === undefined) throw new Error(`no schema for ${method} ${path}`);
  validate(answer);
  return new Set((validate.errors ?? []).map(({ schemaPath, params }) => `${schemaPath} ${JSON.stringify(params)}`));
}

/** The JSON types at each path of a value. The elements of an array share a path. */
function typesIn(value: unknown, jsonPath = '', types = new Map<string, Set<string>>()): Map<string, Set<string>> {
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  types.set(jsonPath, (types.get(jsonPath) ?? new Set()).add(type));
  if (Array.isArray(value)) for (const item of value) typesIn(item, `${jsonPath}[]`, types);
  else if (type === 'object')
    for (const [key, item] of Object.entries(value as object)) typesIn(item, `${jsonPath}.${key}`, types);
  return types;
}

/** Paths where the answer has another JSON type than all examples. */
function strangeTypes(answer: unknown, examples: readonly unknown[]): readonly string[] {
  const known = new Map<string, Set<string>>();
  for (const example of examples) typesIn(example, '', known);
  return [...typesIn(answer)].flatMap(([jsonPath, types]) => {
    const usual = known.get(jsonPath);
    return usual === undefined ? [] : [...types].filter(type => !usual.has(type)).map(type => `${jsonPath} is ${type}`);
  });
}

/** Errors of the description or its examples. Horizon 28's own `protocols/horizon` differs from each. */
const errata: readonly RegExp[] = [
  // Pool shares have their own type.
  /asset_type\/enum .*credit_alphanum12"\]/,
  // The description has the enumeration of types at the asset code.
  /asset_code\/enum .*credit_alphanum12"\]/,
  // A Horizon with SKIP_TXMETA omits it.
  /required \{"missingProperty":"result_meta_xdr"\}/,
  /properties\/flags\/type \{"type":"integer"\}/,
  /properties\/last_modified_ledger\/type \{"type":"string"\}/,
  /properties\/type_i\/type \{"type":"string"\}/,
  // 64-bit numbers are text since Horizon 1.0.
  /^(\._embedded\.records\[\])?\.id is string$/,
  /\.(fee_charged|max_fee) is string$/,
  // An example is indented wrongly.
  /^\._embedded\.records is array$/,
  // Older examples have null here.
  /\.last_modified_time is string$/,
];

const isErratum = (finding: string) => errata.some(erratum => erratum.test(finding));

/** The errors of an answer, except known errata and contradictions between description and examples. */
function findings(path: string, method: string, status: string, answer: unknown): readonly string[] {
  const examples = examplesOf(contentOf(path, method, status));
  if (examples.length === 0) throw new Error(`the description has no example of ${method} ${path}`);
  const forgiven = new Set(examples.flatMap(example => [...faults(path, method, status, example)]));
  const wrong = [...faults(path, method, status, answer)].filter(fault => !forgiven.has(fault));
  return [...wrong, ...strangeTypes(answer, examples)].filter(finding => !isErratum(finding));
}

describe.skipIf(!isThere)(
  `answers of Horizon (skipped without its public OpenAPI description at ${descriptionPath})`,
  () => {
    it.each(getRequests)('to %s match the description', async (path, query) => {
      const { status, body } = await lab.get(withValues(path + query));
      expect(status).toBe(200);
      if (body._embedded) expect(body._embedded.records.length).toBeGreaterThan(0);
      expect(findings(path, 'get', '200', body)).toEqual([]);
    });

    it('of submissions match the description', async () => {
      const payer = await lab.newAccount();
      const payment = Operation.payment({ destination: payer.publicKey(), asset: Asset.native(), amount: '1' });
      const envelope = envelopeOf(await lab.build(payer, [payment]));
      const calls = [
        ['/transactions_async', envelope, 201],
        ['/transactions', envelope, 200],
        ['/transactions_async', envelope, 400],
        ['/transactions_async', 'AAAA', 400],
      ] as const;
      for (const [path, tx, status] of calls) {
        const answer = await lab.post(path, tx);
        expect(answer.status).toBe(status);
        expect(findings(path, 'post', String(status), answer.body)).toEqual([]);
      }
    });

    it('would fail the check if they differed', () => {
      const path = '/fee_stats';
      const [example] = examplesOf(contentOf(path, 'get', '200'));
      expect(findings(path, 'get', '200', { ...(example as object), last_ledger: 5 })).toEqual([
        '#/properties/last_ledger/type {"type":"string"}',
        '.last_ledger is number',
      ]);
    });
  },
);
