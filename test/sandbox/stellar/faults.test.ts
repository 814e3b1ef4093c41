import { Asset, type Keypair, Operation } from '@stellar/stellar-sdk';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { envelopeOf, type StellarLab, startStellarLab } from './stellar-lab.ts';

let lab: StellarLab;
let alice: Keypair;
let bob: Keypair;

beforeAll(async () => {
  lab = await startStellarLab();
  [alice, bob] = await Promise.all([lab.newAccount(), lab.newAccount()]);
}, 60_000);
afterEach(() => switchOn());
afterAll(() => lab.close());

async function switchOn(...faults: readonly object[]): Promise<void> {
  const { status } = await lab.app.request('PUT /sandbox/stellar/faults', { body: { faults } });
  expect(status).toBe(200);
}

const payment = (amount = '1') => [Operation.payment({ destination: bob.publicKey(), asset: Asset.native(), amount })];
const hashOf = (transaction: Awaited<ReturnType<StellarLab['build']>>) =>
  Buffer.from(transaction.hash()).toString('hex');
const statusOf = async (hash: string) => (await lab.get(`/transactions/${hash}`)).status;

describe('the route for faults', () => {
  it('shows active faults and their remaining occurrences to a secret test key', async () => {
    await switchOn({ fault: 'unavailable', path: '/fee_stats', count: 2 }, { fault: 'stale', ledgers: 3, path: '/x' });
    await lab.get('/fee_stats');
    expect((await lab.app.request('GET /sandbox/stellar/faults')).body).toEqual({
      faults: [
        { fault: 'unavailable', path: '/fee_stats', count: 2, remaining: 1 },
        { fault: 'stale', ledgers: 3, path: '/x' },
      ],
    });
    expect((await lab.app.request('DELETE /sandbox/stellar/faults')).body).toEqual({ faults: [] });
    for (const key of [null, lab.app.merchant.publishableKey]) {
      expect((await lab.app.request('GET /sandbox/stellar/faults', { key })).status).toBeGreaterThanOrEqual(401);
    }
  });

  it.each([
    { fault: 'earthquake' },
    { fault: 'stale', ledgers: 0 },
    { fault: 'stale', probability: 2 },
    { fault: 'stale', often: true },
  ])('refuses %j', async fault => {
    const { status } = await lab.app.request('PUT /sandbox/stellar/faults', { body: { faults: [fault] } });
    expect(status).toBe(400);
  });

  it('applies to every server of the database', async () => {
    const other = await lab.anotherServer();
    expect((await other.get('/fee_stats')).status).toBe(200);
    await switchOn({ fault: 'unavailable', path: '/fee_stats', count: 1 });
    await expect.poll(async () => (await other.get('/fee_stats')).status, { timeout: 5_000 }).toBe(503);
    expect((await lab.get('/fee_stats')).status).toBe(200);
    await other.stop();
  });
});

describe('a submission', () => {
  it('is applied although its answer is a timeout', async () => {
    await switchOn({ fault: 'timeout_after_apply', count: 1 });
    const transaction = await lab.build(alice, payment());
    const { status, body } = await lab.post('/transactions', envelopeOf(transaction));
    expect([status, body.extras.hash]).toEqual([504, hashOf(transaction)]);
    expect(await statusOf(hashOf(transaction))).toBe(200);
    expect((await lab.post('/transactions', envelopeOf(transaction))).status).toBe(200);
  });

  it('is applied some ledgers after its answer was a timeout', async () => {
    await switchOn({ fault: 'timeout_before_apply', ledgers: 3, count: 1 });
    const transaction = await lab.build(alice, payment());
    const before = (await lab.get('/')).body.history_latest_ledger;
    expect((await lab.post('/transactions', envelopeOf(transaction))).status).toBe(504);
    expect(await statusOf(hashOf(transaction))).toBe(404);
    await expect.poll(() => statusOf(hashOf(transaction)), { timeout: 5_000 }).toBe(200);
    const { ledger } = (await lab.get(`/transactions/${hashOf(transaction)}`)).body;
    expect(ledger).toBeGreaterThan(before + 3);
  });

  it('is refused for its sequence, or reported as a duplicate, on both routes', async () => {
    await switchOn({ fault: 'bad_sequence', count: 2 });
    const transaction = await lab.build(alice, payment());
    const envelope = envelopeOf(transaction);
    const sync = await lab.post('/transactions', envelope);
    expect([sync.status, sync.body.extras.result_codes]).toEqual([400, { transaction: 'tx_bad_seq' }]);
    const soon = await lab.post('/transactions_async', envelope);
    expect([soon.status, soon.body.tx_status]).toEqual([400, 'ERROR']);
    expect(await statusOf(hashOf(transaction))).toBe(404);
    await switchOn({ fault: 'duplicate', count: 1 });
    expect((await lab.post('/transactions_async', envelope)).body).toEqual({
      tx_status: 'DUPLICATE',
      hash: hashOf(transaction),
    });
    await expect.poll(() => statusOf(hashOf(transaction)), { timeout: 5_000 }).toBe(200);
  });

  it.each([
    [true, 200],
    [false, 404],
  ])('with a broken connection may have been applied: %s', async (applied, found) => {
    const transaction = await lab.build(alice, payment());
    await switchOn({ fault: 'connection_reset', applied, count: 1 });
    await expect(lab.post('/transactions', envelopeOf(transaction))).rejects.toThrow('fetch failed');
    expect(await statusOf(hashOf(transaction))).toBe(found);
  });
});

describe('any request', () => {
  it.each([
    ['rate_limited', 429, 'application/problem+json; charset=utf-8'],
    ['unavailable', 503, 'application/problem+json; charset=utf-8'],
    ['html', 502, 'text/html'],
  ])('may be answered with %s', async (fault, status, type) => {
    await switchOn({ fault, count: 1 });
    const answer = await fetch(`${lab.url}/ledgers`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, type]);
    expect((await lab.get('/ledgers')).status).toBe(200);
  });

  it('may lose its connection, or half of its answer', async () => {
    await switchOn({ fault: 'connection_reset', count: 1, path: '/accounts/' });
    await expect(lab.get(`/accounts/${alice.publicKey()}`)).rejects.toThrow('fetch failed');
    await switchOn({ fault: 'truncated', count: 1 });
    await expect(lab.get(`/accounts/${alice.publicKey()}`)).rejects.toThrow(SyntaxError);
  });

  it('may get no answer', async () => {
    await switchOn({ fault: 'silence', count: 1 });
    await expect(fetch(`${lab.url}/`, { signal: AbortSignal.timeout(300) })).rejects.toThrow('timeout');
  });

  it('may see an older ledger', async () => {
    const sequence = async () => (await lab.sdk.loadAccount(alice.publicKey())).sequence;
    const before = await sequence();
    const newest = (await lab.get('/')).body.history_latest_ledger;
    await switchOn({ fault: 'stale', ledgers: 2 });
    expect(await sequence()).toBe(before);
    await lab.send(alice, payment()).catch(() => undefined);
    const last = (await lab.get('/payments?order=desc&limit=1')).body._embedded.records[0];
    expect(Number(BigInt(last.id) >> 32n)).toBeLessThanOrEqual(newest);
    expect((await lab.get('/')).body.history_latest_ledger).toBe(newest);
    await switchOn();
    expect(BigInt(await sequence())).toBe(BigInt(before) + 1n);
  });

  it('may find that the history at its cursor was deleted', async () => {
    await switchOn({ fault: 'history_gone', path: '/payments' });
    expect((await lab.get('/payments')).status).toBe(200);
    expect((await lab.get('/payments?cursor=5')).status).toBe(410);
  });
});

describe('a stream', () => {
  const stream = async (signal?: AbortSignal) => {
    const path = `/accounts/${bob.publicKey()}/payments?limit=1`;
    const init = { headers: { accept: 'text/event-stream' }, ...(signal && { signal }) };
    return await (await fetch(lab.url + path, init)).text();
  };

  it('may break after its first messages', async () => {
    await switchOn({ fault: 'stream_dropped', count: 1 });
    await expect(stream()).rejects.toThrow('terminated');
    expect(await stream()).toContain('byebye');
  });

  it('may become silent', async () => {
    await switchOn({ fault: 'stream_silent', count: 1 });
    await expect(stream(AbortSignal.timeout(300))).rejects.toThrow('timeout');
  });
});
