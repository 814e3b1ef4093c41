import {
  Account,
  Asset,
  AuthClawbackEnabledFlag,
  AuthRevocableFlag,
  Claimant,
  Keypair,
  LiquidityPoolAsset,
  Memo,
  MuxedAccount,
  Networks,
  Operation,
  rpc,
  scValToNative,
  type Transaction,
  TransactionBuilder,
} from '@stellar/stellar-sdk';
import { Address, getLiquidityPoolId, nativeToScVal } from '@stellar/stellar-sdk/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assetOf, envelopeOf, issuerOf, type StellarLab, startStellarLab } from './stellar-lab.ts';

let lab: StellarLab;
let url: string;
let client: rpc.Server;
let issuer: Keypair;
let own: Asset;
let [alice, bob]: [Keypair, Keypair] = [Keypair.random(), Keypair.random()];

beforeAll(async () => {
  lab = await startStellarLab();
  url = lab.url.replace(/\/horizon$/, '/rpc');
  client = new rpc.Server(url, { allowHttp: true });
  [issuer, alice, bob] = [await lab.newAccount(), await lab.newAccount(), await lab.newAccount()];
  own = new Asset('OWN', issuer.publicKey());
  const flags = AuthRevocableFlag | AuthClawbackEnabledFlag;
  await applied(issuer, [Operation.setOptions({ setFlags: flags })]);
  for (const holder of [alice, bob]) await applied(holder, [Operation.changeTrust({ asset: own })]);
  const amount = '1000';
  await applied(issuer, [
    Operation.payment({ destination: alice.publicKey(), asset: own, amount }),
    Operation.payment({ destination: bob.publicKey(), asset: own, amount }),
  ]);
}, 60_000);
afterAll(() => lab.close());

type Operations = Parameters<StellarLab['build']>[1];
type Parts = Parameters<StellarLab['build']>[2];

/** Submits the operations by RPC and waits for the ledger. */
async function applied(source: Keypair, operations: Operations, parts?: Parts) {
  const found = await ended(await lab.build(source, operations, parts));
  if (found.status !== 'SUCCESS') throw new Error(`it is ${found.status}`);
  return found;
}

async function ended(transaction: Transaction) {
  const { status, hash } = await client.sendTransaction(transaction);
  expect(status).toBe('PENDING');
  return await client.pollTransaction(hash, { attempts: 100, sleepStrategy: () => 20 });
}

/** Sends a raw JSON-RPC call. */
async function call(method: unknown, params?: unknown): Promise<{ result?: never; error?: { code: number } }> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 'one', method, params });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  expect(response.status).toBe(200);
  const { jsonrpc, id, ...answer } = await response.json();
  expect({ jsonrpc, id }).toEqual({ jsonrpc: '2.0', id: 'one' });
  return answer;
}

/** The decoded events of a transaction: symbols, addresses, amounts. */
async function eventsOf(found: { readonly txHash: string; readonly ledger: number }) {
  const { events } = await client.getEvents({
    startLedger: found.ledger,
    endLedger: found.ledger + 1,
    filters: [],
  });
  return events
    .filter(({ txHash }) => txHash === found.txHash)
    .map(({ topic, value }) => [...topic.map(scValToNative), scValToNative(value)]);
}

const symbol = (word: string) => nativeToScVal(word, { type: 'symbol' }).toXdr('base64');
const topicOf = (key: Keypair) => new Address(key.publicKey()).toScVal().toXdr('base64');

describe('Stellar RPC', () => {
  it('is healthy, and has the passphrase of the test network', async () => {
    const health = await client.getHealth();
    expect(health).toMatchObject({ status: 'healthy', oldestLedger: 2 });
    expect(await client.getNetwork()).toMatchObject({ passphrase: Networks.TESTNET, protocolVersion: 27 });
    const latest = await client.getLatestLedger();
    expect(latest.sequence).toBeGreaterThanOrEqual(health.latestLedger);
    const { body } = await lab.get(`/ledgers/${latest.sequence}`);
    expect(body).toMatchObject({ hash: latest.id });
  });

  it('reports the paid fees', async () => {
    const { inclusionFee, sorobanInclusionFee } = await client.getFeeStats();
    expect(inclusionFee).toMatchObject({ min: '100', mode: '100', p99: '100' });
    expect(Number(inclusionFee.transactionCount)).toBeGreaterThan(0);
    expect(sorobanInclusionFee).toMatchObject({ transactionCount: '0', ledgerCount: 0 });
  });

  it('returns entries by their keys', async () => {
    const entry = await client.getAccountEntry(alice.publicKey());
    expect(String(entry.balance)).toBe(String(10_000n * 10_000_000n - 100n));
    const account = await client.getAccount(alice.publicKey());
    expect(account.sequenceNumber()).toBe(String(entry.seqNum));
    const line = await client.getTrustline(alice.publicKey(), own);
    expect(String(line.balance)).toBe(String(1_000n * 10_000_000n));
    await expect(client.getAccountEntry(Keypair.random().publicKey())).rejects.toThrow();
  });

  it('may be read from pages of any origin', async () => {
    const response = await fetch(url, { method: 'OPTIONS', headers: { origin: 'https://shop.example' } });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  });

  it.each([
    ['an unknown method', 'getNothing', {}, -32_601],
    ['no method', undefined, {}, -32_600],
    ['an invalid key', 'getLedgerEntries', { keys: ['AAAA'] }, -32_602],
    ['invalid keys', 'getLedgerEntries', {}, -32_602],
    ['an invalid hash', 'getTransaction', { hash: 'ab' }, -32_602],
    ['an invalid envelope', 'sendTransaction', { transaction: 'AAAA' }, -32_602],
    ['no ledger to begin at', 'getEvents', {}, -32_602],
    ['a future ledger', 'getEvents', { startLedger: 1_000_000 }, -32_602],
    ['an invalid cursor', 'getEvents', { pagination: { cursor: 'x' } }, -32_602],
    ['a cursor and a ledger', 'getEvents', { startLedger: 2, pagination: { cursor: '0' } }, -32_602],
    ['too high a limit of events', 'getEvents', { startLedger: 2, pagination: { limit: 10_001 } }, -32_602],
    ['too many filters', 'getEvents', { startLedger: 2, filters: Array(6).fill({}) }, -32_602],
    ['an invalid topic', 'getEvents', { startLedger: 2, filters: [{ topics: [['transfer']] }] }, -32_602],
    ['too high a limit of transactions', 'getTransactions', { startLedger: 2, pagination: { limit: 201 } }, -32_602],
  ])('refuses %s', async (_, method, params, code) => {
    expect(await call(method, params)).toMatchObject({ error: { code } });
  });

  it('reports malformed requests', async () => {
    const response = await fetch(url, { method: 'POST', body: '{' });
    expect(await response.json()).toMatchObject({ id: null, error: { code: -32_700 } });
  });
});

describe('a transaction submitted to RPC', () => {
  const pay = (amount = '1') => Operation.payment({ destination: bob.publicKey(), asset: Asset.native(), amount });

  it('is pending, then a duplicate, then in a ledger', async () => {
    const transaction = await lab.build(alice, [pay()], { memo: Memo.text('order 1') });
    const hash = Buffer.from(transaction.hash()).toString('hex');
    expect(await client.getTransaction(hash)).toMatchObject({ status: 'NOT_FOUND' });
    expect(await client.sendTransaction(transaction)).toMatchObject({ status: 'PENDING', hash });
    const again = await client.sendTransaction(transaction);
    expect(['DUPLICATE', 'ERROR']).toContain(again.status);
    const found = await client.pollTransaction(hash, { attempts: 100, sleepStrategy: () => 20 });
    expect(found).toMatchObject({ status: 'SUCCESS', txHash: hash, feeBump: false, applicationOrder: 1 });
    if (found.status !== 'SUCCESS') return;
    expect(found.envelopeXdr.toXdr('base64')).toBe(envelopeOf(transaction));
    expect(String(found.resultXdr.feeCharged)).toBe('100');
    expect(found.resultMetaXdr.type).toBe('v4');
    expect(found.events.contractEventsXdr).toMatchObject([[{}]]);
    const { body } = await lab.get(`/transactions/${hash}`);
    expect(body).toMatchObject({ ledger: found.ledger, result_xdr: found.resultXdr.toXdr('base64') });
  });

  it('is refused with its result', async () => {
    const account = new Account(alice.publicKey(), '1');
    const builder = new TransactionBuilder(account, { fee: '100', networkPassphrase: Networks.TESTNET });
    const transaction = builder.addOperation(pay()).setTimeout(60).build();
    transaction.sign(alice);
    const answer = await client.sendTransaction(transaction);
    expect(answer.status).toBe('ERROR');
    expect(answer.errorResult?.result.type).toBe('txBadSeq');
  });

  it('is in a ledger when it fails', async () => {
    const found = await ended(await lab.build(alice, [pay('1000000')]));
    expect(found.status).toBe('FAILED');
    if (found.status !== 'FAILED') return;
    expect(found.events.contractEventsXdr).toEqual([]);
    expect(found.events.transactionEventsXdr).toHaveLength(1);
    expect(await eventsOf(found)).toEqual([['fee', alice.publicKey(), 100n]]);
  });

  it('is also found by the hash of its inner transaction', async () => {
    const inner = await lab.build(alice, [pay()]);
    const bump = TransactionBuilder.buildFeeBumpTransaction(bob, '300', inner, Networks.TESTNET);
    bump.sign(bob);
    const { hash } = await client.sendTransaction(bump);
    const found = await client.pollTransaction(hash, { attempts: 100, sleepStrategy: () => 20 });
    expect(found).toMatchObject({ status: 'SUCCESS', feeBump: true });
    const wrapped = await client.getTransaction(Buffer.from(inner.hash()).toString('hex'));
    expect(wrapped).toMatchObject({ status: 'SUCCESS', feeBump: true });
    if (found.status !== 'SUCCESS') return;
    const [fee, moved] = await eventsOf(found);
    expect(fee).toEqual(['fee', bob.publicKey(), 200n]);
    expect(moved).toEqual(['transfer', alice.publicKey(), bob.publicKey(), 'native', 10_000_000n]);
  });

  it('is listed in pages', async () => {
    const { oldestLedger } = await client.getHealth();
    const all = await client.getTransactions({ startLedger: oldestLedger, pagination: { limit: 200 } });
    const paged: string[] = [];
    let page = await client.getTransactions({ startLedger: oldestLedger, pagination: { limit: 7 } });
    while (page.transactions.length > 0) {
      paged.push(...page.transactions.map(({ txHash }) => txHash));
      page = await client.getTransactions({ pagination: { cursor: page.cursor, limit: 7 } });
    }
    expect(paged.slice(0, all.transactions.length)).toEqual(all.transactions.map(({ txHash }) => txHash));
    expect(new Set(paged).size).toBe(paged.length);
  });
});

describe('events', () => {
  const ownText = () => `OWN:${issuer.publicKey()}`;

  it('name both accounts, and the memo or the id of a muxed receiver', async () => {
    const base = { asset: own, amount: '1' };
    const muxed = new MuxedAccount(new Account(bob.publicKey(), '0'), '77').accountId();
    const payments = [
      { destination: muxed, ...base },
      { destination: bob.publicKey(), ...base },
    ].map(payment => Operation.payment(payment));
    const cases: readonly (readonly [Memo, unknown])[] = [
      [Memo.none(), null],
      [Memo.text('order 7'), 'order 7'],
      [Memo.id('18446744073709551615'), 18_446_744_073_709_551_615n],
      [Memo.hash(Buffer.alloc(32, 7)), Buffer.alloc(32, 7)],
      [Memo.return(Buffer.alloc(32, 8)), Buffer.alloc(32, 8)],
    ];
    for (const [memo, tag] of cases) {
      const [, first, second] = await eventsOf(await applied(alice, payments, { memo }));
      const parts = ['transfer', alice.publicKey(), bob.publicKey(), ownText()];
      expect(first).toEqual([...parts, { amount: 10_000_000n, to_muxed_id: 77n }]);
      const value = second?.at(-1);
      if (tag === null) expect(value).toBe(10_000_000n);
      else
        expect(value).toEqual({ amount: 10_000_000n, to_muxed_id: tag instanceof Buffer ? new Uint8Array(tag) : tag });
    }
  });

  it('are emitted by the contract of the asset', async () => {
    const { ledger, txHash } = await applied(alice, [
      Operation.payment({ destination: bob.publicKey(), asset: own, amount: '1' }),
    ]);
    const { events } = await client.getEvents({ startLedger: ledger, endLedger: ledger + 1, filters: [] });
    const mine = events.filter(event => event.txHash === txHash);
    const contracts = [Asset.native(), own].map(asset => asset.contractId(Networks.TESTNET));
    expect(mine.map(({ contractId }) => contractId?.contractId())).toEqual(contracts);
  });

  it('report mints, burns and clawbacks', async () => {
    const [made, burnt, clawed] = [
      await applied(issuer, [Operation.payment({ destination: alice.publicKey(), asset: own, amount: '5' })]),
      await applied(alice, [Operation.payment({ destination: issuer.publicKey(), asset: own, amount: '2' })]),
      await applied(issuer, [Operation.clawback({ asset: own, from: alice.publicKey(), amount: '3' })]),
    ];
    expect((await eventsOf(made))[1]).toEqual(['mint', alice.publicKey(), ownText(), 50_000_000n]);
    expect((await eventsOf(burnt))[1]).toEqual(['burn', alice.publicKey(), ownText(), 20_000_000n]);
    expect((await eventsOf(clawed))[1]).toEqual(['clawback', alice.publicKey(), ownText(), 30_000_000n]);
  });

  it('report changes of an account’s authorization', async () => {
    const set = (authorized: boolean) =>
      applied(issuer, [Operation.setTrustLineFlags({ trustor: bob.publicKey(), asset: own, flags: { authorized } })]);
    for (const authorized of [false, true]) {
      const [, event] = await eventsOf(await set(authorized));
      expect(event).toEqual(['set_authorized', bob.publicKey(), ownText(), authorized]);
    }
  });

  it('report the creation and the merge of an account', async () => {
    const child = Keypair.random();
    const begun = await applied(alice, [
      Operation.createAccount({ destination: child.publicKey(), startingBalance: '5' }),
    ]);
    const native = (from: Keypair, to: Keypair, amount: bigint) => [
      ...['transfer', from.publicKey(), to.publicKey(), 'native', amount],
    ];
    expect((await eventsOf(begun))[1]).toEqual(native(alice, child, 50_000_000n));
    const ended = await applied(child, [Operation.accountMerge({ destination: alice.publicKey() })]);
    expect((await eventsOf(ended))[1]).toEqual(native(child, alice, 49_999_900n));
  });

  it('report each trade of a path payment, in both directions', async () => {
    const trust = Operation.changeTrust({ asset: assetOf('USDC') });
    const path = Operation.pathPaymentStrictReceive({
      sendAsset: Asset.native(),
      sendMax: '1000',
      destination: alice.publicKey(),
      destAsset: assetOf('USDC'),
      destAmount: '10',
      path: [],
    });
    const [, sold, bought, paid] = await eventsOf(await applied(alice, [trust, path]));
    const usdc = `USDC:${issuerOf('USDC').publicKey()}`;
    expect(sold).toMatchObject(['transfer', alice.publicKey(), expect.any(String), 'native', expect.any(BigInt)]);
    expect(bought).toEqual(['transfer', sold?.[2], alice.publicKey(), usdc, 100_000_000n]);
    expect(paid).toEqual(['transfer', alice.publicKey(), alice.publicKey(), usdc, 100_000_000n]);
  });

  it('report claimable balances: created, claimed and clawed back', async () => {
    const claimants = [new Claimant(bob.publicKey())];
    const aside = () => applied(alice, [Operation.createClaimableBalance({ asset: own, amount: '4', claimants })]);
    const first = (await eventsOf(await aside()))[1];
    expect(first).toMatchObject(['transfer', alice.publicKey(), expect.stringMatching(/^B/), ownText(), 40_000_000n]);
    const { body } = await lab.get(`/claimable_balances?claimant=${bob.publicKey()}`);
    const balanceId: string = body._embedded.records[0].id;
    const claim = await applied(bob, [Operation.claimClaimableBalance({ balanceId })]);
    expect((await eventsOf(claim))[1]).toEqual(['transfer', first?.[2], bob.publicKey(), ownText(), 40_000_000n]);
  });

  it('report deposits to a pool and withdrawals', async () => {
    const pool = new LiquidityPoolAsset(Asset.native(), own, 30);
    const liquidityPoolId = Buffer.from(
      getLiquidityPoolId('constant_product', pool.getLiquidityPoolParameters()),
    ).toString('hex');
    const put = await applied(alice, [
      Operation.changeTrust({ asset: pool }),
      Operation.liquidityPoolDeposit({
        liquidityPoolId,
        maxAmountA: '10',
        maxAmountB: '20',
        minPrice: '0.1',
        maxPrice: '10',
      }),
    ]);
    const [, xlm, held] = await eventsOf(put);
    expect(xlm).toEqual(['transfer', alice.publicKey(), expect.stringMatching(/^L/), 'native', 100_000_000n]);
    expect(held).toEqual(['transfer', alice.publicKey(), xlm?.[2], ownText(), 200_000_000n]);
    const taken = await applied(alice, [
      Operation.liquidityPoolWithdraw({ liquidityPoolId, amount: '1', minAmountA: '0', minAmountB: '0' }),
    ]);
    const out = (await eventsOf(taken)).slice(1);
    expect(out).toMatchObject([
      ['transfer', xlm?.[2], alice.publicKey(), 'native', expect.any(BigInt)],
      ['transfer', xlm?.[2], alice.publicKey(), ownText(), expect.any(BigInt)],
    ]);
  });

  it('are found by topic and by contract', async () => {
    const [one, two] = [await lab.newAccount(), await lab.newAccount()];
    const pay = (to: Keypair, amount: string) =>
      Operation.payment({ destination: to.publicKey(), asset: Asset.native(), amount });
    const { ledger: startLedger } = await applied(one, [pay(two, '1'), pay(two, '2')]);
    await applied(two, [pay(one, '3')]);
    const find = async (filters: rpc.Api.EventFilter[]) => {
      const { events } = await client.getEvents({ startLedger, filters });
      return events.map(({ value }) => Number(scValToNative(value)) / 10_000_000);
    };
    const [transfer, first] = [symbol('transfer'), topicOf(one)];
    expect(await find([{ topics: [[transfer, first, '*', '*']] }])).toEqual([1, 2]);
    expect(await find([{ topics: [[transfer, '*', first, '*']] }])).toEqual([3]);
    expect(await find([{ topics: [[transfer, first, '**']] }])).toEqual([1, 2]);
    expect(await find([{ topics: [[transfer, first, '*']] }])).toEqual([]);
    expect(await find([{ topics: [['*', first]] }])).toEqual([0.00002]);
    const contracts = (asset: Asset) => ({ contractIds: [asset.contractId(Networks.TESTNET)] });
    expect(await find([{ ...contracts(own), topics: [[transfer, first, '**']] }])).toEqual([]);
    const both = {
      ...contracts(Asset.native()),
      topics: [
        [transfer, first, '**'],
        [transfer, '*', first, '**'],
      ],
    };
    expect(await find([both])).toEqual([1, 2, 3]);
    expect(await find([{ type: 'system' }])).toEqual([]);
  });

  it('are listed in pages of any size, each once and in order', async () => {
    const { oldestLedger } = await client.getHealth();
    const first = { startLedger: oldestLedger, filters: [] };
    const all = await client.getEvents({ ...first, limit: 10_000 });
    const ids = all.events.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort());
    for (const limit of [1, 7, 100]) {
      let page = await client.getEvents({ ...first, limit });
      const paged = [...page.events];
      for (let pages = 1; page.events.length > 0 && pages < 50; pages++) {
        page = await client.getEvents({ cursor: page.cursor, filters: [], limit });
        paged.push(...page.events);
      }
      expect(paged.map(({ id }) => id).slice(0, ids.length)).toEqual(ids.slice(0, paged.length));
    }
    const next = await client.getEvents({ cursor: all.cursor, filters: [] });
    expect(next.events.filter(({ ledger }) => ledger <= all.latestLedger)).toEqual([]);
  }, 60_000);
});
