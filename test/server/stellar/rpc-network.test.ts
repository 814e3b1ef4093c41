import { Asset, Networks, xdr } from '@stellar/stellar-sdk/base';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { testPassphrase } from '../../../src/core/stellar/stellar-network.ts';
import { createHttpExchange, type HttpExchange } from '../../../src/server/platform/http-exchange.ts';
import { createHorizonNetwork } from '../../../src/server/stellar/horizon/horizon-network.ts';
import { type StellarNetwork, StellarUnavailable } from '../../../src/server/stellar/network.ts';
import { createRpcBackedNetwork } from '../../../src/server/stellar/rpc/rpc-backed-network.ts';
import { buildEnvelope, hashEnvelope } from '../../../src/server/stellar/transaction/transaction.ts';
import { toAccount } from '../../../src/server/stellar/transaction/xdr-values.ts';
import { type FixtureServer, send, startFixtureServer } from './fixture-server.ts';

const treasury = 'GALSPNVKGNRJ3VIOQ26QKPZBDCTVJK7XPLSPF3UVZV3JJXCKVCHNSPCK';
const payer = 'GDQWI6FKB72DPOJE4CGYCFQZKRPQQIOYXRMZ5KEVGXMG6UUTGJMBCASH';
const issuer = 'GB2Y3AWXVROM2BHFQKQPTWKIOI3TZEBBD3LTKTVQTKEPXGOBE742NODL';
const envelope = buildEnvelope({
  source: treasury,
  sequence: 1n,
  fee: 100n,
  timeBounds: null,
  operations: [{ type: 'payment', destination: payer, asset: 'XLM', amount: 1n }],
});
const hash = hashEnvelope(envelope, testPassphrase);
const results = { paid: 'AAAAAAAAAGQAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAA=', badSeq: 'AAAAAAAAAGT////7AAAAAA==' };

let server: FixtureServer;
let http: HttpExchange;
let network: StellarNetwork;
/** Answers by method: a result, an error, or a function. */
let methods: Record<string, object | ((params: never, response: Parameters<typeof send>[0]) => object | undefined)>;
beforeAll(async () => {
  server = await startFixtureServer();
  http = createHttpExchange({ timeoutMs: 400 });
});
afterAll(async () => {
  http.close();
  await server.close();
});
beforeEach(() => {
  methods = {
    getNetwork: { passphrase: testPassphrase, protocolVersion: 25 },
    getTransaction: notFound(),
  };
  server.answer('/rpc', ({ body }, response) => {
    const { method, params, jsonrpc } = JSON.parse(body);
    expect(jsonrpc).toBe('2.0');
    const answer = methods[method] ?? { code: -32_601, message: 'method not found' };
    const result = typeof answer === 'function' ? answer(params as never, response) : answer;
    if (result === undefined) return;
    send(response, 200, { jsonrpc: '2.0', id: 1, ...('code' in result ? { error: result } : { result }) });
  });
  const horizon = createHorizonNetwork({ url: () => server.url, passphrase: testPassphrase, http });
  network = createRpcBackedNetwork(horizon, { url: `${server.url}/rpc`, passphrase: testPassphrase, http });
});

const range = { oldestLedger: 100, oldestLedgerCloseTime: '1793600000', latestLedger: 901 };
function notFound(latestLedger = 901) {
  return { ...range, status: 'NOT_FOUND', latestLedger, latestLedgerCloseTime: '1793610000' };
}
const lastParams = (method: string) =>
  server.seen.map(({ body }) => JSON.parse(body || '{}')).findLast(asked => asked.method === method)?.params;

describe('submitting an envelope to Stellar RPC', () => {
  it.each<[string, object, object]>([
    ['takes it', { status: 'PENDING', hash }, { state: 'pending' }],
    ['has it', { status: 'DUPLICATE', hash }, { state: 'pending' }],
    ['is full', { status: 'TRY_AGAIN_LATER', hash }, { state: 'unknown', reason: 'try_again_later' }],
    [
      'refuses it',
      { status: 'ERROR', hash, errorResultXdr: results.badSeq },
      { state: 'refused', codes: { transaction: 'tx_bad_seq', operations: [] } },
    ],
    [
      'cannot read it',
      { code: -32_602, message: 'invalid_xdr' },
      { state: 'refused', codes: { transaction: 'tx_malformed' } },
    ],
    ['cannot reach its core', { code: -32_603, message: 'could not submit transaction' }, { state: 'unknown' }],
    ['returns an unknown status', { status: 'PERHAPS' }, { state: 'unknown', reason: 'unreadable_answer' }],
    ['returns no status', {}, { state: 'unknown', reason: 'unreadable_answer' }],
  ])('that %s', async (_, answer, expected) => {
    methods['sendTransaction'] = answer;
    expect(await network.submit(envelope)).toMatchObject({ hash, ...expected });
    expect(lastParams('sendTransaction')).toEqual({ transaction: envelope });
  });

  it.each<[string, (response: Parameters<typeof send>[0]) => unknown]>([
    ['answers 503', r => send(r, 503, 'unavailable')],
    ['answers 429', r => send(r, 429, { message: 'slow down' }, { 'retry-after': '3' })],
    ['sends half of the response', r => send(r, 200, '{"jsonrpc":"2.0","res')],
    ['disconnects', r => r.destroy()],
    ['does not answer', () => undefined],
  ])('that %s has an unknown outcome', async (_, act) => {
    methods['sendTransaction'] = (_params, response) => {
      act(response);
      return undefined;
    };
    expect(await network.submit(envelope)).toMatchObject({ hash, state: 'unknown' });
  });

  it('that was applied before is reported as applied', async () => {
    methods['sendTransaction'] = { status: 'ERROR', hash, errorResultXdr: results.badSeq };
    methods['getTransaction'] = ({ hash: asked }: { hash: string }) =>
      asked === hash ? { ...notFound(), status: 'SUCCESS', ledger: 800, resultXdr: results.paid } : notFound();
    expect(await network.submit(envelope)).toMatchObject({ state: 'applied', ledger: 800, feeCharged: 100n });
  });
});

describe('reading from Stellar RPC', () => {
  it('the state of a transaction reads the newest ledger first', async () => {
    let asked = 0;
    methods['getTransaction'] = () => notFound(901 + asked++);
    expect(await network.status(hash)).toEqual({
      state: 'not_found',
      oldest: 100,
      ingested: { sequence: 901, closedAt: new Date(1_793_610_000_000) },
    });
  });

  it('the result of a failed transaction', async () => {
    const resultXdr = 'AAAAAAAAAGT/////AAAAAQAAAAAAAAAB/////gAAAAA=';
    methods['getTransaction'] = () => ({ ...notFound(), status: 'FAILED', ledger: 800, resultXdr });
    expect(await network.status(hash)).toMatchObject({
      state: 'applied',
      successful: false,
      ledger: 800,
      codes: { transaction: 'tx_failed', operations: ['op_underfunded'] },
    });
  });

  it('the fees of ledgers and the newest ledger', async () => {
    methods['getFeeStats'] = { inclusionFee: { min: '100', p95: '250' }, sorobanInclusionFee: {}, latestLedger: 901 };
    expect(await network.fees()).toEqual({ base: 100n, usual: 250n });
    expect(await network.latestLedger()).toEqual({ sequence: 901, closedAt: new Date(1_793_610_000_000) });
  });

  it('of another network is refused', async () => {
    methods['getNetwork'] = { passphrase: 'Public Global Stellar Network ; September 2015' };
    await expect(network.incoming(treasury, null, 10)).rejects.toThrow(
      /PAY_STELLAR_RPC_URL belongs to another network/,
    );
  });
});

const { ScVal, ScAddress, ScMapEntry, Int128Parts, ClaimableBalanceId } = xdr;
const usd = new Asset('NODL', issuer);
const contractOf = (asset: Asset) => asset.contractId(Networks.TESTNET);
const word = (text: string) => ScVal.scvSymbol(text);
const address = (text: string) => ScVal.scvAddress(ScAddress.scAddressTypeAccount(toAccount(text) as never));
const name = (asset: Asset) => ScVal.scvString(asset.isNative() ? 'native' : `${asset.getCode()}:${asset.getIssuer()}`);
const number = (amount: bigint) => ScVal.scvI128(new Int128Parts({ hi: amount >> 64n, lo: amount & (2n ** 64n - 1n) }));
const tagged = (amount: bigint, tag: xdr.ScVal) =>
  ScVal.scvMap([
    new ScMapEntry({ key: word('amount'), val: number(amount) }),
    new ScMapEntry({ key: word('to_muxed_id'), val: tag }),
  ]);

interface EventOptions {
  readonly ledger?: number;
  readonly transaction?: number;
  readonly operation?: number;
  readonly index?: number;
  readonly asset?: Asset;
  readonly contractId?: string;
  readonly topics?: xdr.ScVal[];
  readonly value?: xdr.ScVal;
  readonly fields?: object;
}

/** An event as `getEvents` shows it. */
function event(options: EventOptions = {}): object {
  const { ledger = 500, transaction = 1, operation = 0, index = 0, asset = usd, value = number(27n) } = options;
  const place = (BigInt(ledger) << 32n) | (BigInt(transaction) << 12n) | BigInt(operation);
  const topics = options.topics ?? [word('transfer'), address(payer), address(treasury), name(asset)];
  return {
    type: 'contract',
    ledger,
    ledgerClosedAt: '2026-11-02T08:00:00Z',
    operationIndex: operation,
    transactionIndex: transaction,
    inSuccessfulContractCall: true,
    txHash: String(transaction).padStart(64, '0'),
    id: `${String(place).padStart(19, '0')}-${String(index).padStart(10, '0')}`,
    contractId: options.contractId ?? contractOf(asset),
    topic: topics.map(topic => topic.toXdr('base64')),
    value: value.toXdr('base64'),
    ...options.fields,
  };
}

describe('payments to an account, by events', () => {
  const tip = '0000003874060500991-4294967295';
  const read = async (...events: object[]) => {
    methods['getEvents'] = { ...range, events, cursor: tip };
    return (await network.incoming(treasury, '0000002147483648000-0000000000', 10)).payments;
  };

  it('are read with all data about their recipient', async () => {
    const [payment] = await read(event({ operation: 3, index: 2, value: tagged(27n, ScVal.scvU64(2n ** 63n)) }));
    expect(payment).toEqual({
      cursor: '0000002147483652099-0000000002',
      transactionHash: '1'.padStart(64, '0'),
      operationIndex: 3,
      ledger: 500,
      from: payer,
      fromMuxedId: null,
      to: treasury,
      toMuxedId: String(2n ** 63n),
      memo: null,
      asset: `NODL:${issuer}`,
      amount: 27n,
      createdAt: new Date('2026-11-02T08:00:00Z'),
    });
  });

  it.each<[string, xdr.ScVal, object]>([
    ['no tag', number(1n), { toMuxedId: null, memo: null }],
    ['a text', tagged(1n, ScVal.scvString('order 17')), { memo: { type: 'text', value: 'order 17' } }],
    ['a hash', tagged(1n, ScVal.scvBytes(Buffer.alloc(32, 0xab))), { memo: { type: 'hash', value: 'ab'.repeat(32) } }],
  ])('are read with %s', async (_, value, expected) => {
    expect(await read(event({ value }))).toMatchObject([{ amount: 1n, ...expected }]);
  });

  it('are read of XLM, from the issuer, and from a claimed balance', async () => {
    const mint = [word('mint'), address(treasury), name(usd)];
    const id = ClaimableBalanceId.claimableBalanceIdTypeV0(Buffer.alloc(32, 0xcd));
    const balance = ScVal.scvAddress(ScAddress.scAddressTypeClaimableBalance(id));
    const claim = [word('transfer'), balance, address(treasury), name(usd)];
    expect(
      await read(
        event({ asset: Asset.native() }),
        event({ transaction: 2, topics: mint }),
        event({ transaction: 3, topics: claim }),
      ),
    ).toMatchObject([
      { asset: 'XLM', from: payer },
      { asset: `NODL:${issuer}`, from: issuer },
      { from: `00000000${'cd'.repeat(32)}` },
    ]);
  });

  it.each<[string, EventOptions]>([
    ['a contract of another party emits it', { contractId: contractOf(new Asset('FAKE', payer)) }],
    ['a contract of the same code and another issuer emits it', { contractId: contractOf(new Asset('NODL', payer)) }],
    ['the call failed', { fields: { inSuccessfulContractCall: false } }],
    ['it is another event', { topics: [word('approve'), address(payer), address(treasury), name(usd)] }],
    ['it has another form', { topics: [word('transfer'), address(payer), address(treasury)] }],
    ['it is of no amount', { value: number(0n) }],
    ['it is of a negative amount', { value: number(-5n) }],
    ['its amount is too large', { value: number(2n ** 63n) }],
  ])('do not include one when %s', async (_, options) => {
    expect(await read(event(options))).toEqual([]);
  });

  it('do not include one by the account’s own operation', async () => {
    const out = [word('transfer'), address(treasury), address(payer), name(Asset.native())];
    const own = [event({ asset: Asset.native(), topics: out, index: 0 }), event({ index: 1 })];
    expect(await read(...own, event({ operation: 1 }))).toMatchObject([{ operationIndex: 1 }]);
  });

  it('of one contract call are each counted', async () => {
    expect(await read(event({ index: 0 }), event({ index: 1 }))).toMatchObject([
      { operationIndex: 0 },
      { operationIndex: 1 },
    ]);
  });

  it('are requested after the cursor, with the account’s own topics', async () => {
    methods['getEvents'] = { ...range, events: [], cursor: tip };
    expect(await network.incoming(treasury, '0000002147483648000-0000000007', 10)).toEqual({
      payments: [],
      cursor: tip,
      more: false,
    });
    expect(lastParams('getEvents')).toEqual({
      filters: [
        {
          type: 'contract',
          topics: [
            [word('transfer').toXdr('base64'), '*', address(treasury).toXdr('base64'), '*'],
            [word('transfer').toXdr('base64'), address(treasury).toXdr('base64'), '*', '*'],
            [word('mint').toXdr('base64'), address(treasury).toXdr('base64'), '*'],
          ],
        },
      ],
      pagination: { limit: 1_000, cursor: '0000002147483648000-0000000007' },
    });
    // A cursor of Horizon: its transaction is read again.
    await network.incoming(treasury, String((500n << 32n) | (7n << 12n) | 3n), 10);
    expect(lastParams('getEvents').pagination.cursor).toBe(
      `${String(((500n << 32n) | (7n << 12n)) - 1n).padStart(19, '0')}-4294967295`,
    );
  });

  it('without a cursor start with the server’s oldest ledger', async () => {
    methods['getHealth'] = { status: 'healthy', ...range };
    methods['getEvents'] = { ...range, events: [], cursor: tip };
    await network.incoming(treasury, null, 10);
    expect(lastParams('getEvents')).toMatchObject({ startLedger: 101, pagination: { limit: 1_000 } });
  });

  it('continue when the server has not searched all its ledgers', async () => {
    methods['getEvents'] = { ...range, events: [], cursor: '0000002147483648000-0000000000' };
    expect(await network.incoming(treasury, null, 10).catch(() => null)).toBeNull();
    methods['getHealth'] = { status: 'healthy', ...range };
    expect(await network.incoming(treasury, null, 10)).toMatchObject({ more: true });
  });

  it('of a full page leave an incomplete transaction to the next page', async () => {
    const events = Array.from({ length: 1_000 }, (_, index) =>
      event(index < 999 ? { transaction: index + 1 } : { transaction: 999, index: 1 }),
    );
    methods['getEvents'] = { ...range, events, cursor: tip };
    const { payments, cursor, more } = await network.incoming(treasury, '0', 10);
    expect([payments.length, more, cursor]).toEqual([998, true, payments.at(-1)?.cursor]);
  });

  it('of a transaction that fills a whole page are read to its end', async () => {
    const first = Array.from({ length: 1_000 }, (_, index) => event({ index }));
    const rest = [event({ index: 1_000 }), event({ transaction: 2 })];
    methods['getEvents'] = ({ pagination }: { pagination: { cursor: string } }) => {
      const isFirst = pagination.cursor.endsWith('-0000000000');
      return { ...range, events: isFirst ? first : rest, cursor: isFirst ? '' : tip };
    };
    const { payments, cursor, more } = await network.incoming(treasury, '0000002147483648000-0000000000', 10);
    expect(lastParams('getEvents').pagination.cursor).toBe(payments[999]?.cursor);
    expect([payments.length, more, cursor]).toEqual([1_002, false, tip]);
  });

  it('before the start of history are reported as deleted', async () => {
    methods['getEvents'] = { code: -32_600, message: 'startLedger must be within the ledger range: 100 - 901' };
    const asked = network.incoming(treasury, '0000000000000004096-0000000000', 10);
    await expect(asked).rejects.toThrow(StellarUnavailable);
    await expect(asked).rejects.toThrow(/ledger range: 100 - 901/);
  });
});
