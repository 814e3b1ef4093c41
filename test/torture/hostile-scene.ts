import { newId } from '../../src/core/id.ts';
import { createPasswords } from '../../src/server/people/password.ts';
import { exampleAccount } from '../../src/server/platform/http/openapi/field-note.ts';
import { type Browser, password, personWith } from '../server/people/visitor.ts';
import { quickCost, type TestAnswer, type TestApp, type TestMerchant } from '../support/app.ts';
import type { Body, Operation } from './openapi-calls.ts';

/** A merchant of its own for the calls of one operation, with a secret key and a signed-in owner. */
export interface Scene {
  readonly merchant: TestMerchant;
  readonly owner: Browser & { readonly id: string; readonly email: string };
  /** Makes the call as its access demands. */
  send(operation: Pick<Operation, 'method' | 'access'>, path: string, body?: string): Promise<TestAnswer>;
  /** Reads a path with the secret key. */
  read(path: string): Promise<TestAnswer>;
  /** Makes a call with the secret key, which must succeed. */
  make(call: `${string} /${string}`, body?: unknown): Promise<Made>;
  sweep: TestApp['sweep'];
}

// biome-ignore lint/suspicious/noExplicitAny: the answers of all calls
type Made = any;

/** Adds a merchant to the app, with money in its balance. */
export async function createScene(shop: TestApp): Promise<Scene> {
  const merchant = await shop.addMerchant();
  const owner = await personWith(shop, 'owner', await createPasswords(quickCost).hash(password), merchant.id);
  const make: Scene['make'] = async (call, body) => {
    const answer = await shop.request(call, { key: merchant.secretKey, ...(body !== undefined && { body }) });
    if (answer.status >= 300) throw new Error(`${call}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  await make('PATCH /v1/account', { settlement: { asset: 'USDC', stellar_address: exampleAccount } });
  const ramps = { enabled: true, assets: ['USDC'], methods: ['bank_transfer'] };
  await make('PATCH /v1/account', { ramps });
  await make('POST /v1/test_helpers/fund', { currency: 'EUR', amount: 100_000_000_00 });
  await make('POST /v1/test_helpers/fund', { asset: 'USDC', amount: '1000000.0000000' });
  const send: Scene['send'] = ({ method, access }, path, body) => {
    const call = `${method} ${path}` as 'POST /';
    const headers = { 'content-type': 'application/json' };
    if (access === 'session') return owner.send(call, body, headers);
    return shop.request(call, { key: access === 'key' ? merchant.secretKey : null, headers, body: body ?? '' });
  };
  const read: Scene['read'] = path => shop.request(`GET ${path}` as 'GET /', { key: merchant.secretKey });
  return { merchant, owner, send, read, make, sweep: shop.sweep };
}

type Maker = (scene: Scene, examples: ReadonlyMap<string, Body>) => Promise<string>;

const order = { amount: 4200, currency: 'EUR', settlement_asset: 'USDC', settlement_network: 'stellar' };
const customer = { email: 'ada@example.com' };

async function payment({ make }: Scene, changes: object = {}): Promise<string> {
  const body = { ...order, payment_methods: ['card', 'bank_transfer', 'crypto'], customer, ...changes };
  return (await make('POST /v1/payments', body)).id;
}

async function paid(scene: Scene, changes?: object): Promise<string> {
  const id = await payment(scene, changes);
  await scene.make(`POST /v1/payments/${id}/confirm`, { method: 'card', token: 'tok_visa' });
  return id;
}

async function transfer(scene: Scene, credit: object): Promise<Made> {
  const body = { amount: 4200, currency: 'EUR', reference: 'unknown 4711', ...credit };
  return await scene.make('POST /v1/test_helpers/bank_transfers', body);
}

async function forBank(scene: Scene): Promise<{ id: string; reference: string }> {
  const id = await payment(scene);
  const { next_action: action } = await scene.make(`POST /v1/payments/${id}/confirm`, {
    method: 'bank_transfer',
    rail: 'sepa',
  });
  return { id, reference: action.reference };
}

async function disputed(scene: Scene): Promise<string> {
  const payment = await paid(scene);
  await scene.make('POST /v1/test_helpers/cards/disputes', { payment });
  await scene.sweep('payments.disputes');
  return (await scene.make(`GET /v1/disputes?payment=${payment}`)).data[0].id;
}

async function batch(scene: Scene, examples: ReadonlyMap<string, Body>, options: object = {}): Promise<Made> {
  const payouts = examples.get('POST /v1/payouts/bulk')?.['payouts'] as readonly object[];
  const rows = payouts.map((row, index) => ({ ...row, reference: `row-${performance.now()}-${index}` }));
  const schedule = { type: 'scheduled', at: '2027-01-01T00:00:00Z' };
  return await scene.make('POST /v1/payouts/bulk', { payouts: rows, schedule, ...options });
}

async function draft({ make }: Scene, examples: ReadonlyMap<string, Body>): Promise<string> {
  return (await make('POST /v1/invoices', examples.get('POST /v1/invoices'))).id;
}

async function newest({ make }: Scene, list: string): Promise<string> {
  return (await make(`GET /v1/${list}?limit=1`)).data[0].id;
}

/** Makes the object of a path in a state that its call needs. The first row that fits decides. */
const subjects: readonly (readonly [path: RegExp, make: Maker])[] = [
  [
    /^\/v1\/payments\/{id}\/resolve/,
    async scene => {
      const { id, reference } = await forBank(scene);
      await transfer(scene, { reference, amount: 6000 });
      return id;
    },
  ],
  [/^\/v1\/payments\/{id}\/capture/, scene => paid(scene, { capture_method: 'manual', payment_methods: ['card'] })],
  [/^\/v1\/payments\/{id}\/refunds/, scene => paid(scene)],
  [/^\/v1\/payments\/{id}\/simulate/, async scene => (await forBank(scene)).id],
  [/^\/v1\/payments\/{id}/, scene => payment(scene)],
  [/^\/v1\/disputes\/{id}/, disputed],
  [/^\/v1\/transfers\/{id}/, async scene => (await transfer(scene, {})).id],
  [/^\/v1\/invoices\/{id}($|\/preview|\/send)/, draft],
  [
    /^\/v1\/invoices\/{id}/,
    async (scene, examples) => {
      const id = await draft(scene, examples);
      await scene.make(`POST /v1/invoices/${id}/send`);
      return id;
    },
  ],
  [
    /^\/v1\/approvals\/{id}/,
    async (scene, examples) => {
      await batch(scene, examples, { approval: { required: true } });
      return await newest(scene, 'approvals');
    },
  ],
  // Only a bank makes such an answer, and only the operator's merchant may read it.
  [/^\/v1\/bank-answers\/{id}/, async () => newId('bankAnswer')],
  [/^\/v1\/payout-batches\/{id}/, async (scene, examples) => (await batch(scene, examples)).id],
  [
    /\/payouts\/{id}/,
    async (scene, examples) => {
      await batch(scene, examples);
      return await newest(scene, 'payouts');
    },
  ],
  [
    /^\/v1\/events\/{id}/,
    async scene => {
      await payment(scene);
      return await newest(scene, 'events');
    },
  ],
  [
    /^\/v1\/mails\/{id}/,
    async (scene, examples) => {
      await scene.make(`POST /v1/invoices/${await draft(scene, examples)}/send`);
      return await newest(scene, 'mails');
    },
  ],
  [
    /^\/v1\/settlements\/{id}/,
    async scene => {
      const destination = { type: 'bank_account', iban: 'DE89370400440532013000' };
      await scene.make('PATCH /v1/account', { settlement: { destination, batch: 'daily' } });
      await paid(scene, { settlement_asset: 'EUR' });
      await scene.sweep('settlements.fiat');
      return await newest(scene, 'settlements');
    },
  ],
  [
    /^\/v1\/test_helpers\/customers\/{id}/,
    async ({ make }, examples) => (await make('POST /v1/customers', examples.get('POST /v1/customers'))).id,
  ],
  [
    /^\/v1\/test_helpers\/ramps\/{id}/,
    async ({ make }, examples) => (await make('POST /v1/ramps', examples.get('POST /v1/ramps'))).id,
  ],
  [/^\/v1\/team\/{id}/, async ({ owner }) => owner.id],
];

/** The path of the operation with the id of a new object. `examples` are the bodies of all operations. */
export async function pathOf(scene: Scene, { path }: Operation, examples: ReadonlyMap<string, Body>): Promise<string> {
  if (!path.includes('{')) return path;
  const known = subjects.find(([pattern]) => pattern.test(path))?.[1];
  const collection = path.slice(0, path.indexOf('/{'));
  const id = known
    ? await known(scene, examples)
    : (await scene.make(`POST ${collection as `/${string}`}`, examples.get(`POST ${collection}`))).id;
  return path.replace('{id}', id).replace(/\{\w+\}/g, id);
}

/** Bodies with live ids and secrets, where the example of the document cannot have them. */
const bodies: Readonly<Record<string, (scene: Scene) => Promise<Body>>> = {
  'POST /v1/transfers/{id}/assign': async scene => ({ payment_id: await payment(scene) }),
  'POST /v1/test_helpers/cards/disputes': async scene => ({ payment: await paid(scene) }),
  'POST /v1/checkout/open': access,
  'POST /v1/session': async ({ owner }) => ({ email: owner.email, password }),
  'POST /v1/session/confirm': async () => ({ password }),
  // A sample of another event would tell of a change that no payment made.
  'POST /v1/test_helpers/events': async () => ({ type: 'payment.created' }),
  'POST /v1/webhook-endpoints/{id}/test': async () => ({ type: 'payment.created' }),
  'PATCH /v1/person': async () => ({ name: 'Ada Lovelace' }),
};

async function access({ make }: Scene): Promise<Body> {
  const { id, client_secret } = await make('POST /v1/payments', { ...order, payment_methods: ['card'], customer });
  return { payment: id, client_secret };
}

/** A body that the operation accepts. */
export async function bodyOf(scene: Scene, { method, path, example }: Operation): Promise<Body> {
  return (await bodies[`${method} ${path}`]?.(scene)) ?? example ?? {};
}
