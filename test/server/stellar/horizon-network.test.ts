import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { testPassphrase } from '../../../src/core/stellar/stellar-network.ts';
import { createHttpExchange, type HttpExchange } from '../../../src/server/platform/http-exchange.ts';
import { createHorizonNetwork } from '../../../src/server/stellar/horizon/horizon-network.ts';
import { type StellarNetwork, StellarUnavailable } from '../../../src/server/stellar/network.ts';
import { buildEnvelope, hashEnvelope } from '../../../src/server/stellar/transaction/transaction.ts';
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
const results = {
  paid: 'AAAAAAAAAGQAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAA=',
  badSeq: 'AAAAAAAAAGT////7AAAAAA==',
  tooLate: 'AAAAAAAAAGT////9AAAAAA==',
  insufficientFee: 'AAAAAAAAAMj////3AAAAAA==',
  internalError: 'AAAAAAAAAGT////1AAAAAA==',
};

const root = {
  network_passphrase: testPassphrase,
  history_elder_ledger: 17,
  history_latest_ledger: 900,
  history_latest_ledger_closed_at: '2026-11-02T08:59:55Z',
};
const page = (records: object[]) => ({ _embedded: { records } });
const ledgers = page([
  { sequence: 901, closed_at: '2026-11-02T09:00:00Z', base_fee_in_stroops: 100, base_reserve_in_stroops: 5_000_000 },
]);

let server: FixtureServer;
let http: HttpExchange;
let network: StellarNetwork;
beforeAll(async () => {
  server = await startFixtureServer();
  http = createHttpExchange({ timeoutMs: 400, largestAnswerBytes: 20_000 });
});
beforeEach(() => {
  server.answer('/', root);
  server.answer('/ledgers', ledgers);
  network = createHorizonNetwork({ url: () => server.url, passphrase: testPassphrase, http, silenceMs: 300 });
});
afterAll(async () => {
  http.close();
  await server.close();
});

describe('submitting an envelope', () => {
  const outcomes: [string, (response: Parameters<typeof send>[0]) => unknown, object][] = [
    ['a queue that takes it', r => send(r, 201, { tx_status: 'PENDING', hash }), { state: 'pending' }],
    ['a queue that has it', r => send(r, 409, { tx_status: 'DUPLICATE', hash }), { state: 'pending' }],
    [
      'a queue that is full',
      r => send(r, 503, { tx_status: 'TRY_AGAIN_LATER', hash }),
      { state: 'unknown', reason: 'try_again_later', retryAfterSeconds: 5 },
    ],
    [
      'a sequence number that is spent',
      r => send(r, 400, { tx_status: 'ERROR', hash, error_result_xdr: results.badSeq }),
      { state: 'refused', codes: { transaction: 'tx_bad_seq', operations: [] } },
    ],
    [
      'a bound that has passed',
      r => send(r, 400, { tx_status: 'ERROR', hash, error_result_xdr: results.tooLate }),
      { state: 'refused', codes: { transaction: 'tx_too_late', operations: [] } },
    ],
    [
      'a fee that is too low',
      r => send(r, 400, { tx_status: 'ERROR', hash, error_result_xdr: results.insufficientFee }),
      { state: 'refused', codes: { transaction: 'tx_insufficient_fee', operations: [] } },
    ],
    [
      'an error of core itself',
      r => send(r, 400, { tx_status: 'ERROR', hash, error_result_xdr: results.internalError }),
      { state: 'unknown', reason: 'tx_internal_error' },
    ],
    [
      'an error without a result',
      r => send(r, 400, { tx_status: 'ERROR', hash }),
      { state: 'unknown', reason: 'unreadable_answer' },
    ],
    ['an unknown value', r => send(r, 201, { tx_status: 'MAYBE' }), { state: 'unknown' }],
    ['a status that is not text', r => send(r, 201, { tx_status: 7 }), { state: 'unknown' }],
    [
      'bytes it cannot read',
      r => send(r, 400, { type: 'transaction_malformed', title: 'Transaction Malformed', status: 400 }),
      { state: 'refused', codes: { transaction: 'tx_malformed', operations: [] } },
    ],
    [
      'a switched-off submission',
      r => send(r, 403, { type: 'transaction_submission_disabled', status: 403 }),
      { state: 'unknown', reason: 'http_403' },
    ],
    [
      'too many requests',
      r => send(r, 429, { type: 'rate_limit_exceeded', status: 429 }, { 'retry-after': '17' }),
      { state: 'unknown', reason: 'http_429', retryAfterSeconds: 17 },
    ],
    [
      'a time-out of its own',
      r => send(r, 504, { type: 'timeout', status: 504 }),
      { state: 'unknown', reason: 'http_504' },
    ],
    [
      'a page of a proxy',
      r => send(r, 200, '<html>Bad gateway</html>'),
      { state: 'unknown', reason: 'unreadable_answer' },
    ],
    ['half of a response', r => send(r, 201, '{"tx_status":"PEND'), { state: 'unknown', reason: 'unreadable_answer' }],
    ['a broken connection', r => r.destroy(), { state: 'unknown', reason: 'connection_lost' }],
    [
      'an answer cut off',
      r => {
        r.writeHead(201, { 'content-length': '500' });
        r.write('{"tx_status":"PENDING"');
        setTimeout(() => r.destroy(), 20);
      },
      { state: 'unknown', reason: 'connection_lost' },
    ],
    ['silence', () => {}, { state: 'unknown', reason: 'timeout' }],
    ['an endless answer', r => send(r, 200, 'x'.repeat(30_000)), { state: 'unknown', reason: 'answer_too_large' }],
    [
      'a redirect',
      r => send(r, 302, {}, { location: 'http://127.0.0.1:1/' }),
      { state: 'unknown', reason: 'http_302' },
    ],
  ];
  it.each(outcomes)('answered by %s', async (_, answer, expected) => {
    server.answer('/transactions_async', (__, response) => answer(response));
    expect(await network.submit(envelope)).toMatchObject({ hash, ...expected });
  });

  it('sends the envelope as a form, unchanged', async () => {
    server.answer('/transactions_async', (_, response) => send(response, 201, { tx_status: 'PENDING', hash }));
    await network.submit(envelope);
    const { method, headers, body } = server.seen.at(-1)!;
    expect([method, headers['content-type']]).toEqual(['POST', 'application/x-www-form-urlencoded']);
    expect(new URLSearchParams(body).get('tx')).toBe(envelope);
  });

  it('waits until there is a network URL', async () => {
    const early = createHorizonNetwork({ url: () => '', passphrase: testPassphrase, http });
    expect(await early.submit(envelope)).toMatchObject({ state: 'unknown' });
    await expect(early.account(treasury)).rejects.toThrow(/not known yet/);
  });

  it('without a response has an unknown outcome', async () => {
    const gone = createHorizonNetwork({ url: () => 'http://127.0.0.1:1', passphrase: testPassphrase, http });
    expect(await gone.submit(envelope)).toMatchObject({ state: 'unknown', reason: 'not_sent' });
  });

  it('that was applied before is reported as applied, although its sequence is used', async () => {
    server.answer('/transactions_async', (_, response) =>
      send(response, 400, { tx_status: 'ERROR', hash, error_result_xdr: results.badSeq }),
    );
    server.answer(`/transactions/${hash}`, { ledger: 800, result_xdr: results.paid });
    expect(await network.submit(envelope)).toEqual({
      state: 'applied',
      hash,
      ledger: 800,
      successful: true,
      feeCharged: 100n,
      resultXdr: results.paid,
      codes: { transaction: 'tx_success', operations: ['op_success'] },
    });
    server.answer(`/transactions/${hash}`, (_, response) => send(response, 404, notFound));
  });
});

const notFound = { type: 'https://stellar.org/horizon-errors/not_found', title: 'Resource Missing', status: 404 };

describe('reading the state of a transaction', () => {
  it('reads the newest ledger first', async () => {
    const before = server.seen.length;
    expect(await network.status(hash)).toEqual({
      state: 'not_found',
      ingested: { sequence: 900, closedAt: new Date('2026-11-02T08:59:55Z') },
      oldest: 17,
    });
    const asked = server.seen.slice(before).map(({ path }) => path);
    // The first request of all checks the network.
    expect(asked).toEqual(['/', '/', `/transactions/${hash}`]);
  });

  it.each<[string, number, object | string]>([
    ['a proxy answers 404 in HTML', 404, '<html>404</html>'],
    ['a proxy answers 404 in its own JSON', 404, { message: 'no route' }],
    ['the server is overloaded', 503, { status: 503, title: 'Service Unavailable' }],
    ['the result is malformed', 200, { ledger: 5, result_xdr: 'AAAA' }],
    ['the result is missing', 200, { ledger: 5 }],
  ])('is unknown when %s', async (_, status, body) => {
    server.answer(`/transactions/${hash}`, (__, response) => send(response, status, body));
    await expect(network.status(hash)).rejects.toThrow(StellarUnavailable);
    server.answer(`/transactions/${hash}`, (__, response) => send(response, 404, notFound));
  });
});

describe('a Horizon', () => {
  it('of another network is refused with a clear message', async () => {
    server.answer('/', { ...root, network_passphrase: 'Public Global Stellar Network ; September 2015' });
    server.answer(`/accounts/${treasury}/operations`, page([payment({})]));
    await expect(network.incoming(treasury, null, 10)).rejects.toThrow(/belongs to another network.*Public Global/);
    server.answer('/', root);
    expect((await network.incoming(treasury, null, 10)).payments).toHaveLength(1);
  });

  it('that limits requests reports when to try again', async () => {
    server.answer('/fee_stats', (_, response) => send(response, 429, { status: 429 }, { 'retry-after': '9' }));
    await expect(network.fees()).rejects.toMatchObject({ name: 'StellarUnavailable', retryAfterSeconds: 9 });
  });

  it('reports the fees of ledgers', async () => {
    server.answer('/fee_stats', {
      last_ledger: '43277313',
      last_ledger_base_fee: '100',
      ledger_capacity_usage: '0.97',
      fee_charged: { p95: '5500' },
      max_fee: { p95: '500000' },
    });
    expect(await network.fees()).toEqual({ base: 100n, usual: 500_000n });
  });
});

const ledgerTransaction = { memo_type: 'none' };
function payment(change: object): object {
  return {
    id: '4294971393',
    paging_token: '4294971393',
    transaction_successful: true,
    type: 'payment',
    created_at: '2026-11-02T08:00:00Z',
    transaction_hash: 'ab'.repeat(32),
    from: payer,
    to: treasury,
    asset_type: 'native',
    amount: '1.5000000',
    transaction: ledgerTransaction,
    ...change,
  };
}

describe('payments to an account', () => {
  const read = async (...records: object[]) => {
    server.answer(`/accounts/${treasury}/operations`, page(records));
    return (await network.incoming(treasury, null, 200)).payments;
  };
  const usd = { asset_type: 'credit_alphanum4', asset_code: 'NODL', asset_issuer: issuer };

  it('are read with all data about their recipient', async () => {
    const [first] = await read(
      payment({
        ...usd,
        amount: '0.0000027',
        to_muxed: 'M…',
        to_muxed_id: '9223372036854775808',
        from_muxed_id: '7',
        id: '4294975490',
        paging_token: '4294975490',
      }),
    );
    expect(first).toEqual({
      cursor: '4294975490',
      transactionHash: 'ab'.repeat(32),
      operationIndex: 1,
      ledger: 1,
      from: payer,
      fromMuxedId: '7',
      to: treasury,
      toMuxedId: '9223372036854775808',
      memo: null,
      asset: `NODL:${issuer}`,
      amount: 27n,
      createdAt: new Date('2026-11-02T08:00:00Z'),
    });
  });

  it.each<[object, object | null]>([
    [
      { memo_type: 'text', memo: 'order 17' },
      { type: 'text', value: 'order 17' },
    ],
    [{ memo_type: 'text' }, { type: 'text', value: '' }],
    [
      { memo_type: 'id', memo: '18446744073709551615' },
      { type: 'id', value: '18446744073709551615' },
    ],
    [
      { memo_type: 'hash', memo: Buffer.alloc(32, 0xab).toString('base64') },
      { type: 'hash', value: 'ab'.repeat(32) },
    ],
    [
      { memo_type: 'return', memo: Buffer.alloc(32, 1).toString('base64') },
      { type: 'return', value: '01'.repeat(32) },
    ],
    [{ memo_type: 'none' }, null],
  ])('have the memo %o', async (transaction, memo) => {
    const [first] = await read(payment({ transaction }));
    expect(first?.memo).toEqual(memo);
  });

  it('by path payment have the received amount', async () => {
    const path = {
      type: 'path_payment_strict_send',
      amount: '2.0000000',
      source_amount: '9.0000000',
      destination_min: '1',
    };
    const [first] = await read(payment({ ...path, ...usd, source_asset_type: 'native' }));
    expect(first).toMatchObject({ asset: `NODL:${issuer}`, amount: 20_000_000n });
  });

  it('include the creation of the account', async () => {
    const create = { type: 'create_account', account: treasury, funder: payer, starting_balance: '3.0000000' };
    expect(await read(payment(create))).toMatchObject([{ from: payer, asset: 'XLM', amount: 30_000_000n }]);
    expect(await read(payment({ ...create, account: payer }))).toEqual([]);
  });

  // Two operations: one that sets options, and the merge of an account with 5.1234431 XLM.
  const mergeResult = 'AAAAAAAAAMgAAAAAAAAAAgAAAAAAAAAFAAAAAAAAAAAAAAAIAAAAAAAAAAADDcZ/AAAAAA==';

  it('by account merge have the merged account’s balance', async () => {
    const merge = {
      type: 'account_merge',
      account: payer,
      into: treasury,
      into_muxed_id: '12',
      id: '4294971394',
      transaction: { ...ledgerTransaction, result_xdr: mergeResult },
    };
    expect(await read(payment(merge))).toMatchObject([
      { operationIndex: 1, from: payer, toMuxedId: '12', asset: 'XLM', amount: 51_234_431n },
    ]);
    // The first operation merged no account, so a record that says so is refused.
    await expect(read(payment({ ...merge, id: '4294971393' }))).rejects.toThrow(StellarUnavailable);
  });

  const balanceId = `00000000${'cd'.repeat(32)}`;
  const claim = { type: 'claim_claimable_balance', claimant: treasury, balance_id: balanceId };

  it('by a claimed balance have the memo of its creator', async () => {
    const created = { type: 'create_claimable_balance', asset: `NODL:${issuer}`, amount: '1.0000000' };
    server.answer(
      `/claimable_balances/${balanceId}/operations`,
      page([{ ...created, source_account: payer, transaction: { memo_type: 'id', memo: '44' } }]),
    );
    const memo = { type: 'id', value: '44' };
    expect(await read(payment(claim))).toMatchObject([
      { from: payer, memo, asset: `NODL:${issuer}`, amount: 10_000_000n },
    ]);
    expect(await read(payment({ ...claim, claimant: payer }))).toEqual([]);
  });

  it('by an old claimed balance have no memo when the creator is unknown', async () => {
    server.answer(`/claimable_balances/${balanceId}/operations`, page([]));
    server.answer(
      '/operations/4294971393/effects',
      page([
        { type: 'claimable_balance_claimed', account: treasury, asset: `NODL:${issuer}`, amount: '1.0000000' },
        { type: 'account_credited', account: treasury, ...usd, amount: '1.0000000' },
      ]),
    );
    expect(await read(payment(claim))).toMatchObject([{ from: balanceId, memo: null, amount: 10_000_000n }]);
  });

  it('by a contract include each transfer to the account', async () => {
    const call = {
      type: 'invoke_host_function',
      asset_balance_changes: [
        { type: 'transfer', from: 'CCONTRACT', to: treasury, amount: '1.0000000', asset_type: 'native' },
        { type: 'transfer', from: treasury, to: 'CCONTRACT', amount: '9.0000000', asset_type: 'native' },
        { type: 'mint', to: treasury, amount: '2.0000000', ...usd, destination_muxed_id: '5' },
      ],
    };
    expect(await read(payment(call))).toMatchObject([
      { operationIndex: 0, from: 'CCONTRACT', amount: 10_000_000n, toMuxedId: null },
      { operationIndex: 1, from: issuer, amount: 20_000_000n, toMuxedId: '5' },
    ]);
  });

  it.each<[string, object]>([
    ['was sent by the account', { from: treasury, to: payer }],
    ['was converted by its owner', { type: 'path_payment_strict_send', from: treasury }],
    ['failed', { transaction_successful: false }],
    ['is another operation', { type: 'change_trust' }],
    ['is an unknown operation', { type: 'teleport' }],
    ['waits to be claimed', { type: 'create_claimable_balance' }],
  ])('do not include one that %s', async (_, change) => {
    expect(await read(payment(change))).toEqual([]);
  });

  it.each<[string, object]>([
    ['an invalid amount', payment({ amount: '1e7' })],
    ['a missing amount', payment({ amount: undefined })],
    ['a missing transaction', payment({ transaction: undefined })],
  ])('are refused as malformed: %s', async (_, record) => {
    await expect(read(record)).rejects.toThrow(StellarUnavailable);
  });

  it('are requested after the cursor, which follows the last record of the page', async () => {
    server.answer(
      `/accounts/${treasury}/operations`,
      page([payment({}), payment({ paging_token: '4294979585', id: '4294979585', type: 'manage_data' })]),
    );
    expect(await network.incoming(treasury, '4294967296', 2)).toMatchObject({ cursor: '4294979585', more: true });
    const queries = server.seen.slice(-2).map(({ query }) => Object.fromEntries(query));
    expect(queries).toEqual([
      { cursor: '4294967296', order: 'asc', limit: '2' },
      { cursor: '4294967296', order: 'asc', limit: '1', join: 'transactions' },
    ]);
    server.answer(`/accounts/${treasury}/operations`, page([]));
    expect(await network.incoming(treasury, '4294979585', 2)).toEqual({
      payments: [],
      cursor: '4294979585',
      more: false,
    });
    // A cursor of Stellar RPC: the whole transaction is read again.
    await network.incoming(treasury, '0000000004294979586-0000000003', 2);
    expect(server.seen.at(-1)?.query.get('cursor')).toBe('4294979584');
  });

  it('of a page that is too large are read in parts', async () => {
    server.answer(`/accounts/${treasury}/operations`, ({ query }, response) => {
      const count = Number(query.get('limit'));
      const record = payment({ transaction: { ...ledgerTransaction, result_meta_xdr: 'x'.repeat(1_000) } });
      send(response, 200, page(Array.from({ length: count }, () => record)));
    });
    const { payments, more } = await network.incoming(treasury, null, 200);
    expect([payments.length, more]).toEqual([3, true]);
  });

  it('are read with their transactions, and operations around them without', async () => {
    const at = (id: string, change: object = {}) => payment({ id, paging_token: id, ...change });
    const sent = { from: treasury, to: payer };
    const records = [at('11', sent), at('12'), at('13', sent), at('14'), at('15', sent)];
    server.answer(`/accounts/${treasury}/operations`, ({ query }, response) => {
      const isJoined = query.has('join');
      send(response, 200, page(isJoined ? records.slice(1, 4) : records));
    });
    const { payments, cursor } = await network.incoming(treasury, '10', 5);
    expect([payments.map(each => each.cursor), cursor]).toEqual([['12', '14'], '15']);
    const joined = Object.fromEntries(server.seen.at(-1)!.query);
    expect(joined).toEqual({ cursor: '11', order: 'asc', limit: '3', join: 'transactions' });
    server.answer(`/accounts/${treasury}/operations`, page([at('16', sent)]));
    expect(await network.incoming(treasury, '15', 5)).toMatchObject({ payments: [], cursor: '16' });
    expect(server.seen.at(-1)!.query.has('join')).toBe(false);
  });

  it.each<[string, object[]]>([
    ['none', []],
    ['others', [payment({ id: '13', paging_token: '13' })]],
  ])('are read later while a server that lags knows %s of them', async (_, known) => {
    const found = page([payment({ id: '12', paging_token: '12' })]);
    server.answer(`/accounts/${treasury}/operations`, ({ query }, response) =>
      send(response, 200, query.has('join') ? page(known) : found),
    );
    await expect(network.incoming(treasury, '10', 5)).rejects.toThrow(StellarUnavailable);
  });

  it('end before a part that is too large with its transactions', async () => {
    const records = Array.from({ length: 20 }, (_, index) => {
      const id = String(100 + index);
      return payment({ id, paging_token: id, ...(index < 2 && { from: treasury, to: payer }) });
    });
    server.answer(`/accounts/${treasury}/operations`, ({ query }, response) => {
      const after = records.filter(record => (record as { id: string }).id > (query.get('cursor') ?? ''));
      const transaction = { ...ledgerTransaction, ...(query.has('join') && { result_meta_xdr: 'x'.repeat(2_000) }) };
      const shown = after.slice(0, Number(query.get('limit'))).map(record => ({ ...record, transaction }));
      send(response, 200, page(shown));
    });
    const { payments, ...first } = await network.incoming(treasury, '099', 20);
    expect([payments.map(({ cursor }) => cursor), first]).toEqual([['102', '103'], { cursor: '103', more: true }]);
    const rest = await network.incoming(treasury, first.cursor, 20);
    expect(rest.payments[0]?.cursor).toBe('104');
  });

  it('before the start of history are reported as deleted', async () => {
    server.answer(`/accounts/${treasury}/operations`, (_, response) =>
      send(response, 410, { type: 'before_history', title: 'Data Requested Is Before Recorded History', status: 410 }),
    );
    await expect(network.incoming(treasury, '1', 10)).rejects.toThrow(/no longer stores the requested history/);
  });
});

describe('following an account', () => {
  const operations = `/accounts/${treasury}/operations`;
  const follow = (hint: () => void) => {
    const ending = new AbortController();
    network.follow(treasury, hint, ending.signal);
    return () => ending.abort();
  };
  const head = { 'content-type': 'text/event-stream; charset=utf-8' };
  const hello = 'retry: 1000\nevent: open\ndata: "hello"\n\n';
  /** Resolves with the number of hints as soon as it is at least `count`. */
  const hinted = () => {
    let hints = 0;
    let wake = () => {};
    return {
      hint: () => {
        hints++;
        wake();
      },
      reaches: async (count: number) => {
        while (hints < count) await new Promise<void>(resolve => (wake = resolve));
      },
      count: () => hints,
    };
  };

  it('sends a hint when the stream opens and for each record, also after Horizon has ended the stream', async () => {
    let opened = 0;
    server.answer(operations, ({ query, headers }, response) => {
      opened++;
      expect([query.get('cursor'), headers.accept]).toEqual(['now', 'text/event-stream']);
      response.writeHead(200, head);
      response.write(hello);
      setTimeout(() => response.write('id: 1\ndata: {"id":"1"}\n\n'), 20);
      setTimeout(() => response.end('retry: 10\nevent: close\ndata: "byebye"\n\n'), 40);
    });
    const hints = hinted();
    const stop = follow(hints.hint);
    await hints.reaches(4);
    stop();
    expect(opened).toBe(2);
  });

  it('continues after a response that is no stream, and after broken connections', async () => {
    let asked = 0;
    server.answer(operations, (_, response) => {
      asked++;
      if (asked === 1) send(response, 503, { status: 503 });
      else if (asked === 2) response.destroy();
      else {
        response.writeHead(200, head);
        response.write(hello);
      }
    });
    const hints = hinted();
    const stop = follow(hints.hint);
    await hints.reaches(1);
    stop();
    expect(asked).toBe(3);
  }, 10_000);

  it('ends without a fault at any moment around the end of a stream', async () => {
    let asked = () => {};
    server.answer(operations, (_, response) => {
      response.writeHead(200, head);
      response.end(hello);
      asked();
    });
    for (let ticks = 0; ticks < 24; ticks++) {
      const answered = new Promise<void>(resolve => (asked = resolve));
      const hints = hinted();
      const stop = follow(hints.hint);
      await Promise.all([answered, hints.reaches(1)]);
      for (let tick = 0; tick < ticks; tick++) await new Promise<void>(resolve => process.nextTick(resolve));
      stop();
      // A fault would be an uncaught exception, which fails the run.
      await new Promise(setImmediate);
    }
  });

  it('reopens a silent stream', async () => {
    let opened = 0;
    server.answer(operations, (_, response) => {
      opened++;
      response.writeHead(200, head);
      response.write(hello);
    });
    const hints = hinted();
    const stop = follow(hints.hint);
    await hints.reaches(2);
    stop();
    expect(opened).toBe(2);
  });

  it('ends with the signal, and sends no requests afterwards', async () => {
    let closed = () => {};
    const ended = new Promise<void>(resolve => (closed = resolve));
    server.answer(operations, (_, response) => {
      response.writeHead(200, head);
      response.write(hello);
      response.on('close', closed);
    });
    const hints = hinted();
    const stop = follow(hints.hint);
    await hints.reaches(1);
    const asked = server.seen.length;
    stop();
    await ended;
    expect([server.seen.length, hints.count()]).toEqual([asked, 1]);
  });
});

describe('an account', () => {
  const balance = (change: object) => ({
    balance: '10.0000000',
    buying_liabilities: '0.0000000',
    selling_liabilities: '0.0000000',
    ...change,
  });
  const record = {
    account_id: treasury,
    sequence: '120192344791187470',
    subentry_count: 5,
    num_sponsoring: 2,
    num_sponsored: 1,
    thresholds: { low_threshold: 0, med_threshold: 2, high_threshold: 3 },
    balances: [
      balance({
        asset_type: 'credit_alphanum4',
        asset_code: 'NODL',
        asset_issuer: issuer,
        is_authorized: false,
        limit: '922337203685.4775807',
        selling_liabilities: '1.0000000',
        buying_liabilities: '3.0000000',
      }),
      { asset_type: 'liquidity_pool_shares', balance: '1.0000000', limit: '2.0000000' },
      balance({ asset_type: 'native', selling_liabilities: '2.0000000' }),
    ],
    signers: [{ key: treasury, weight: 1, type: 'ed25519_public_key' }],
    data: { 'config.memo_required': 'MQ==' },
  };

  it('has spendable amounts: without liabilities and, for XLM, the reserve', async () => {
    server.answer(`/accounts/${treasury}`, record);
    expect(await network.account(treasury)).toEqual({
      address: treasury,
      sequence: 120192344791187470n,
      memoRequired: true,
      balances: [
        {
          asset: `NODL:${issuer}`,
          balance: 100_000_000n,
          spendable: 90_000_000n,
          authorized: false,
          room: 9_223_372_036_854_775_807n - 130_000_000n,
        },
        // 10 XLM less 2 for sale, less (2 + 5 + 2 − 1) half XLM.
        { asset: 'XLM', balance: 100_000_000n, spendable: 40_000_000n, room: null, authorized: true },
      ],
      signers: [{ key: treasury, weight: 1 }],
      mediumThreshold: 2,
    });
  });

  it('may require no memo, and have less than its reserve', async () => {
    const poor = { ...record, data: {}, balances: [balance({ asset_type: 'native', balance: '1.0000000' })] };
    server.answer(`/accounts/${treasury}`, poor);
    expect(await network.account(treasury)).toMatchObject({ memoRequired: false, balances: [{ spendable: 0n }] });
  });

  it('that does not exist is null', async () => {
    expect(await network.account(issuer)).toBeNull();
  });
});

describe('paths', () => {
  const nodl = { asset_type: 'credit_alphanum4', asset_code: 'NODL', asset_issuer: issuer };
  const path = (source: string, destination: string) => ({
    source_asset_type: 'native',
    source_amount: source,
    destination_amount: destination,
    destination_asset_type: 'credit_alphanum4',
    destination_asset_code: 'NODL',
    destination_asset_issuer: issuer,
    path: [nodl, { asset_type: 'native' }],
  });

  it('to an exact amount are sorted by cost', async () => {
    server.answer('/paths/strict-receive', page([path('3.0000000', '5.0000000'), path('2.9999999', '5.0000000')]));
    const found = await network.strictReceivePaths({
      sourceAssets: ['XLM', `NODL:${issuer}`],
      asset: `NODL:${issuer}`,
      amount: 50_000_000n,
    });
    expect(found[0]).toEqual({
      sourceAsset: 'XLM',
      sourceAmount: 29_999_999n,
      destinationAsset: `NODL:${issuer}`,
      destinationAmount: 50_000_000n,
      path: [`NODL:${issuer}`, 'XLM'],
    });
    expect(found).toHaveLength(2);
    expect(Object.fromEntries(server.seen.at(-1)!.query)).toEqual({
      destination_asset_type: 'credit_alphanum4',
      destination_asset_code: 'NODL',
      destination_asset_issuer: issuer,
      destination_amount: '5.0000000',
      source_assets: `native,NODL:${issuer}`,
    });
  });

  it('from an exact amount are sorted by result, with several requests for more than fifteen assets', async () => {
    server.answer('/paths/strict-send', page([path('1.0000000', '4.0000000'), path('1.0000000', '5.0000000')]));
    const before = server.seen.length;
    const assets = Array.from({ length: 16 }, (_, index) => (index === 0 ? 'XLM' : `A${index}:${issuer}`));
    const found = await network.strictSendPaths({ asset: 'XLM', amount: 10_000_000n, destinationAssets: assets });
    expect(found.map(({ destinationAmount }) => destinationAmount)).toEqual([
      50_000_000n,
      50_000_000n,
      40_000_000n,
      40_000_000n,
    ]);
    const asked = server.seen.slice(before).filter(({ path: asking }) => asking === '/paths/strict-send');
    expect(asked.map(({ query }) => query.get('destination_assets')?.split(',').length)).toEqual([15, 1]);
    expect(asked[0]?.query.get('destination_assets')).toMatch(/^native,A1:G/);
  });

  it('that do not exist are empty', async () => {
    server.answer('/paths/strict-receive', (_, response) => send(response, 404, notFound));
    const request = { sourceAssets: [`NODL:${issuer}`], asset: 'XLM', amount: 1n };
    expect(await network.strictReceivePaths(request)).toEqual([]);
  });
});

describe('claimable balances', () => {
  const now = '2026-11-02T09:00:00Z';
  it.each<[string, object, boolean]>([
    ['are listed without a condition', { unconditional: true }, true],
    ['are listed before a future time', { abs_before: '2026-11-02T09:00:01Z' }, true],
    ['are not listed before a past time', { abs_before: now }, false],
    ['are not listed after a future time', { not: { abs_before: '2026-11-02T09:00:01Z' } }, false],
    ['are listed after a past time', { not: { abs_before: now } }, true],
    [
      'are listed between a past and a future time',
      { and: [{ abs_before: '2027-01-01T00:00:00Z' }, { not: { abs_before: '2026-01-01T00:00:00Z' } }] },
      true,
    ],
    [
      'are not listed with an impossible condition',
      { and: [{ unconditional: true }, { abs_before: '2020-01-01T00:00:00Z' }] },
      false,
    ],
    ['either way', { or: [{ abs_before: '2020-01-01T00:00:00Z' }, { unconditional: true }] }, true],
    ['are not listed with an unknown condition', { moon_is_full: true }, false],
    ['are not listed with a negated unknown condition', { not: { moon_is_full: true } }, false],
  ])('%s', async (_, predicate, isListed) => {
    const balance = {
      id: `00000000${'cd'.repeat(32)}`,
      asset: 'native',
      amount: '10.0000000',
      sponsor: payer,
      claimants: [
        { destination: payer, predicate: { unconditional: true } },
        { destination: treasury, predicate },
      ],
    };
    server.answer('/claimable_balances', page([balance]));
    const expected = { id: balance.id, asset: 'XLM', amount: 100_000_000n };
    expect((await network.claimableBalances(treasury, null)).balances).toEqual(isListed ? [expected] : []);
  });
});
