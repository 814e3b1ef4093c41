import { createHash } from 'node:crypto';
import { Keypair } from '@stellar/stellar-sdk/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSep7Link } from '../../demo/wallet/sep7-link.ts';
import type { Capability } from '../../src/api/dashboard/capabilities.ts';
import { systemClock } from '../../src/core/clock.ts';
import { publicPassphrase } from '../../src/core/stellar/stellar-network.ts';
import { readConfig } from '../../src/server/settings/config.ts';
import { knownAssets } from '../../src/server/stellar/known-assets.ts';
import { type StellarLab, startStellarLab } from '../sandbox/stellar/stellar-lab.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { isSignedLink } from '../support/signed-link.ts';
import { type FixtureServer, send, startFixtureServer } from './stellar/fixture-server.ts';

const seed = createHash('sha256').update('a treasury').digest();
const treasury = Keypair.fromRawEd25519Seed(seed);
const usdc = `USDC:${knownAssets.public['USDC']}`;
/** The operator lists this asset beside the well-known ones. */
const listed = `NGNC:${treasury.publicKey()}`;
const rates = `<Cube><Cube time='2026-10-30'><Cube currency='USD' rate='1.0900'/></Cube></Cube>`;

/** One fake server with the answers that a payment needs from Horizon and from the European Central Bank. */
async function startPublicWorld(): Promise<FixtureServer> {
  const world = await startFixtureServer({
    '/': { network_passphrase: publicPassphrase, history_elder_ledger: 2 },
    '/ledgers': {
      _embedded: { records: [{ sequence: 9, closed_at: '2026-11-02T09:00:00Z', base_reserve_in_stroops: 5_000_000 }] },
    },
    '/fee_stats': { last_ledger_base_fee: '100', ledger_capacity_usage: '0.1', max_fee: { p95: '100' } },
    '/paths/strict-send': { _embedded: { records: [] } },
    '/ecb.xml': (_, response) => send(response, 200, rates),
  });
  const trust = (code: string) => ({
    asset_type: 'credit_alphanum4',
    asset_code: code,
    asset_issuer: knownAssets.public[code],
    balance: '100.0000000',
    limit: '922337203685.4775807',
    is_authorized: true,
    buying_liabilities: '0.0000000',
    selling_liabilities: '0.0000000',
  });
  world.answer(`/accounts/${treasury.publicKey()}`, {
    account_id: treasury.publicKey(),
    sequence: '1',
    subentry_count: 2,
    signers: [],
    data: {},
    thresholds: { low_threshold: 0, med_threshold: 0, high_threshold: 0 },
    balances: [
      trust('USDC'),
      trust('EURC'),
      {
        asset_type: 'native',
        balance: '100.0000000',
        buying_liabilities: '0.0000000',
        selling_liabilities: '0.0000000',
      },
    ],
  });
  return world;
}

describe('the public network, by settings only', () => {
  let world: FixtureServer;
  let app: TestApp;
  let key: string;
  beforeAll(async () => {
    world = await startPublicWorld();
    app = await startTestApp({
      settings: {
        PAY_NETWORK: 'public',
        PAY_HORIZON_URL: world.url,
        PAY_ECB_URL: `${world.url}/ecb.xml`,
        PAY_TREASURY_SECRET: treasury.secret(),
        PAY_ASSETS: `XLM, USDC,${listed}`,
      },
      publicUrl: () => 'https://pay.example.com',
    });
    key = await app.addKey(app.merchant.id, 'secret', { livemode: true });
  });
  afterAll(async () => {
    await app.close();
    await world.close();
  });
  const order = {
    amount: 10_900,
    currency: 'USD',
    settlement_asset: 'USDC',
    settlement_network: 'stellar',
    payment_methods: ['card', 'bank_transfer', 'crypto'],
    customer: { email: 'ada@example.com' },
  };
  const create = (change: object = {}) => app.request('POST /v1/payments', { key, body: { ...order, ...change } });

  it('accepts live payments by crypto only, to the operator’s treasury, with a signed link', async () => {
    const { status, body } = await create();
    expect([status, body.livemode, body.quote.settlement_amount]).toEqual([201, true, '109.0000000']);
    const options = await app.request(`GET /v1/payments/${body.id}/options`, { key });
    expect(options.body.card).toBeUndefined();
    expect(options.body.bank_transfer).toBeUndefined();
    const offered = options.body.crypto.assets.map((each: { asset: string; network: string }) => [
      each.asset,
      each.network,
    ]);
    expect(offered).toContainEqual([usdc, 'PUBLIC']);
    const confirm = { method: 'crypto', chain: 'stellar', asset: usdc };
    const confirmed = await app.request(`POST /v1/payments/${body.id}/confirm`, { key, body: confirm });
    expect(confirmed.status).toBe(200);
    const action = confirmed.body.next_action;
    expect(action).toMatchObject({ type: 'crypto_transfer', asset: usdc, base_address: treasury.publicKey() });
    const toml = await app.request('GET /.well-known/stellar.toml', { key: null });
    const signingKey = /URI_REQUEST_SIGNING_KEY = "(G\w+)"/.exec(toml.text)?.[1] ?? '';
    expect(isSignedLink(action.uri, signingKey)).toBe(true);
    expect(readSep7Link(action.uri)).toMatchObject({
      originDomain: 'pay.example.com',
      networkPassphrase: publicPassphrase,
      asset: usdc,
      amount: '109',
    });
    expect(toml.text).toContain(`ACCOUNTS = ["${treasury.publicKey()}"]`);
    expect(toml.headers['access-control-allow-origin']).toBe('*');
  });

  it('accepts no cards and bank transfers, because there is no connector to a real rail', async () => {
    const { status, body } = await create({ payment_methods: ['card'] });
    expect([status, body.error.code, body.error.param]).toEqual([403, 'live_mode_unavailable', 'payment_methods']);
    const { body: payment } = await create();
    const card = await app.request(`POST /v1/payments/${payment.id}/confirm`, {
      key,
      body: { method: 'card', token: 'tok_visa' },
    });
    expect(card.status).toBe(400);
  });

  it('says which ways are connected, and which settings lack, to the operator’s merchant only', async () => {
    const { body } = await app.request('GET /v1/capabilities', { key });
    const rows = [...body.pay_in, ...body.pay_out].map(
      ({ id, type, state, settings }: Capability) => `${id} ${type} ${state} ${settings.length}`,
    );
    expect([body.network, body.livemode]).toEqual(['public', true]);
    expect(rows).toEqual([
      ...['card card off 0', 'bank_transfer bank_transfer off 0', 'mtn mobile_money off 5', 'mpesa mobile_money off 4'],
      ...['stellar crypto on 0', 'sepa bank_account off 4'],
      ...['swift bank_account off 4', 'ach bank_account off 6', 'mtn mobile_money off 5', 'mpesa mobile_money off 6'],
      'stellar crypto_wallet on 0',
    ]);
    expect(body.pay_out[0]).toMatchObject({
      simulated: false,
      reason: 'The server has no account there.',
      settings: ['PAY_BANK_EXCHANGE', 'PAY_BANK_NAME', 'PAY_BANK_IBAN', 'PAY_BANK_BIC'],
    });
    expect(body.pay_in.find(({ id }: Capability) => id === 'mpesa').settings).toContain('PAY_MPESA_COLLECTION_PASSKEY');
    expect(body.pay_in.find(({ id }: Capability) => id === 'stellar').accepts).toContain(usdc);
    const other = await app.addMerchant();
    const foreign = await app.addKey(other.id, 'secret', { livemode: true });
    const answer = await app.request('GET /v1/capabilities', { key: foreign });
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain('PAY_');
  });

  it('settles into the assets that the operator lists, and reads their prices while it is idle', async () => {
    const { body } = await app.request('GET /v1/capabilities', { key });
    expect(body.settlement_assets).toEqual(['XLM', usdc, listed]);
    const read = () => world.seen.map(({ query }) => query.get('destination_assets'));
    await app.sweep('rates.read');
    expect(read()).toContain(listed);
    // XLM always has a market, so its missing price is reported. The other asset never had one.
    const { text } = await app.request('GET /metrics', { key: null });
    const failing = text.split('\n').filter(line => line.startsWith('pay_failing_seconds{'));
    expect(failing).toEqual([expect.stringMatching(/work="rate of XLM"/)]);
    const unknown = await app.request(`GET /v1/rates?from=USD&to=${encodeURIComponent(listed)}`, { key });
    expect([unknown.status, unknown.body.error.message]).toEqual([
      503,
      'This server has no rate from USD to NGNC. Use another currency or asset.',
    ]);
    expect((await create({ settlement_asset: `NGNC:${knownAssets.public['USDC']}` })).body.error).toMatchObject({
      code: 'asset_not_listed',
      param: 'settlement_asset',
      message: expect.stringContaining(listed),
    });
  });

  it('accepts no test key, even one in its database', async () => {
    const { status, body } = await app.request('GET /v1/account');
    expect([status, body.error.code]).toEqual([401, 'invalid_api_key']);
    expect((await app.request('GET /v1/account', { key })).status).toBe(200);
  });

  it.each([
    'GET /sandbox/horizon/',
    'GET /sandbox/horizon/friendbot',
    'PUT /sandbox/stellar/faults',
    'POST /v1/test_helpers/bank_transfers',
    'POST /v1/test_helpers/deposits',
    'POST /v1/test_helpers/clock',
    'POST /v1/test_helpers/fund',
    'GET /demo/',
    'GET /card-frame/frame',
  ] as const)('has no %s', async call => {
    const { status } = await app.request(call, { key, ...(call.startsWith('GET') ? {} : { body: {} }) });
    expect([403, 404]).toContain(status);
  });

  it('never shows the seed', async () => {
    const shown = app.logs.join('\n') + JSON.stringify(await app.request('GET /v1/account', { key }));
    const config = readConfig({ PAY_NETWORK: 'public', PAY_TREASURY_SECRET: treasury.secret() });
    expect(JSON.stringify(config)).toContain('"treasurySecret":"[redacted]"');
    expect(String(config.treasurySecret)).toBe('[redacted]');
    expect(config.treasurySecret?.reveal()).toBe(treasury.secret());
    expect(shown).not.toContain(treasury.secret());
    expect(shown).not.toContain(seed.toString('hex'));
  });
});

describe('testnet, by settings only', () => {
  let outside: StellarLab;
  let app: TestApp;
  beforeAll(async () => {
    // The sandbox network of another server stands for testnet: both have the same passphrase.
    outside = await startStellarLab();
    app = await startTestApp({
      settings: { PAY_NETWORK: 'testnet', PAY_HORIZON_URL: outside.url },
      clock: systemClock,
    });
  }, 60_000);
  afterAll(async () => {
    await app.close();
    await outside.close();
  });

  it('has test keys, and its own treasury that friendbot funds', async () => {
    expect((await app.request('GET /v1/account')).status).toBe(200);
    await app.sweep('treasury');
    const toml = await app.request('GET /.well-known/stellar.toml', { key: null });
    const [account = ''] = /G[A-Z2-7]{55}/.exec(toml.text) ?? [];
    expect(await outside.sdk.loadAccount(account)).toMatchObject({ account_id: account });
  });

  it('simulates banks and cards, and says so', async () => {
    const { body } = await app.request('GET /v1/capabilities');
    const [card, sepa] = body.pay_in;
    const [mtn, stellar] = ['mtn', 'stellar'].map(id => body.pay_in.find((row: Capability) => row.id === id));
    expect(card).toMatchObject({ id: 'card', state: 'on', simulated: true });
    expect(sepa).toMatchObject({ id: 'sepa', state: 'on', simulated: true, accepts: ['EUR'] });
    expect(mtn).toMatchObject({ type: 'mobile_money', state: 'on', simulated: true });
    expect(mtn.accepts).toEqual(expect.arrayContaining(['UGX', 'GHS']));
    expect(stellar).toMatchObject({ id: 'stellar', state: 'on', simulated: false, settings: ['PAY_NETWORK'] });
    const swift = body.pay_out.find(({ id }: Capability) => id === 'swift');
    expect(swift).toMatchObject({ state: 'on', simulated: true, arrives_at: expect.any(String) });
    expect(swift.settings).toContain('PAY_BANK_IBAN');
  });

  it('misses a Stellar account only while the first merchant settles in an asset', async () => {
    const remarks = async () => {
      await app.sweep('settlements.addresses');
      const { body } = await app.request('GET /readyz', { key: null });
      return (body.remarks ?? []).filter((remark: string) => remark.startsWith('settlement: no Stellar account'));
    };
    expect(await remarks()).toHaveLength(1);
    const destination = { type: 'bank_account', iban: 'DE89370400440532013000', account_holder: 'Nordlys Supply' };
    const settlement = { asset: 'EUR', destination };
    expect((await app.request('PATCH /v1/account', { body: { settlement } })).status).toBe(200);
    expect(await remarks()).toEqual([]);
  });

  it.each(['GET /sandbox/horizon/', 'POST /v1/test_helpers/deposits'] as const)('has no %s', async call => {
    const { status } = await app.request(call, call.startsWith('GET') ? {} : { body: {} });
    expect(status).toBe(404);
  });
});

describe('settings of networks', () => {
  const given = (settings: Record<string, string>) => () => readConfig(settings);
  const secret = treasury.secret();
  const kms = { PAY_TREASURY_KMS_URL: 'https://kms.example/sign', PAY_TREASURY_ADDRESS: treasury.publicKey() };

  it.each<[string, Record<string, string>, RegExp]>([
    ['no key where money is real', { PAY_NETWORK: 'public' }, /PAY_TREASURY_SECRET: the public network needs/],
    [
      'a seed with a wrong check sum',
      { PAY_TREASURY_SECRET: `${secret.slice(0, -1)}A` },
      /PAY_TREASURY_SECRET: takes the secret seed/,
    ],
    [
      'an address for a seed',
      { PAY_TREASURY_SECRET: treasury.publicKey() },
      /PAY_TREASURY_SECRET: takes the secret seed/,
    ],
    [
      'a signing service without an address',
      { PAY_TREASURY_KMS_URL: kms.PAY_TREASURY_KMS_URL },
      /PAY_TREASURY_ADDRESS: is needed/,
    ],
    ['two keys', { ...kms, PAY_TREASURY_SECRET: secret }, /PAY_TREASURY_SECRET: cannot be used together/],
    ['a user in the address', { ...kms, PAY_TREASURY_KMS_URL: 'https://a:b@kms.example/' }, /without a user/],
    [
      'caps of an unknown code',
      { PAY_NETWORK: 'testnet', PAY_TREASURY_DAY_CAPS: 'DOGE=1' },
      /PAY_TREASURY_DAY_CAPS: takes amounts/,
    ],
    [
      'an unknown code among the assets',
      { PAY_ASSETS: 'XLM,DOGE' },
      /PAY_ASSETS: "DOGE" is not an asset: takes XLM, USDC/,
    ],
    [
      'a well-known code of another issuer',
      { PAY_NETWORK: 'testnet', PAY_ASSETS: `USDC:${treasury.publicKey()}` },
      /PAY_ASSETS: "USDC:G\w+" is not an asset/,
    ],
    ['an empty asset', { PAY_ASSETS: 'XLM,' }, /PAY_ASSETS: "" is not an asset/],
    [
      'test keys where money is real',
      { PAY_NETWORK: 'public', ...kms, PAY_SECRET_KEY: `sk_test_${'a'.repeat(20)}` },
      /PAY_SECRET_KEY: on this network takes a key that begins with sk_live_/,
    ],
    [
      'live keys in test mode',
      { PAY_PUBLISHABLE_KEY: `pk_live_${'a'.repeat(20)}` },
      /PAY_PUBLISHABLE_KEY: on this network takes a key that begins with pk_test_/,
    ],
  ])('are refused with %s', (_, settings, message) => {
    expect(given(settings)).toThrow(message);
    expect(given(settings)).not.toThrow(secret);
  });

  it.each<[string, Record<string, string>]>([
    ['a seed', { PAY_NETWORK: 'public', PAY_TREASURY_SECRET: secret }],
    ['a signing service', { PAY_NETWORK: 'public', ...kms, PAY_TREASURY_KMS_AUTHORIZATION: 'Bearer x' }],
    ['live keys', { PAY_NETWORK: 'public', ...kms, PAY_SECRET_KEY: `sk_live_${'a'.repeat(20)}` }],
    ['caps', { PAY_NETWORK: 'public', ...kms, PAY_TREASURY_DAY_CAPS: 'none', PAY_TREASURY_TRANSACTION_CAPS: 'USDC=5' }],
    ['assets', { PAY_ASSETS: `XLM, NGNC,MOON:${treasury.publicKey()}` }],
    ['no settings', {}],
  ])('are accepted with %s', (_, settings) => {
    expect(given(settings)).not.toThrow();
  });
});
