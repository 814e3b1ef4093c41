import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post } from '../../../src/server/ledger/ledger.store.ts';
import { exchange, move, type Posting } from '../../../src/server/ledger/posting.ts';
import { logStatements } from '../../support/statements.ts';
import { touchedRows } from '../../support/touched-rows.ts';
import { type PaymentLab, refusal, startPaymentLab } from '../payments/payment-lab.ts';

let lab: PaymentLab;
beforeAll(async () => {
  lab = await startPaymentLab();
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

const now = new Date('2026-11-02T09:00:00Z');
const write = (postings: readonly Posting[]) =>
  lab.database.db
    .transaction()
    .execute(tx => post(tx, [{ merchantId: lab.merchant.id, livemode: false, kind: 'test', postings, now }]));
const countLines = async () =>
  Number((await lab.database.pool.query('select count(*) from ledger_entries')).rows[0].count);

describe('the ledger', () => {
  it.each<[string, readonly Posting[]]>([
    ['one line', [{ account: 'merchant.pending', currency: 'EUR', amount: 1n }]],
    [
      'lines that differ by a cent',
      [...move('funding', 'merchant.pending', 'EUR', 10n), { account: 'fx', currency: 'EUR', amount: 1n }],
    ],
    [
      'two currencies that only balance together',
      [
        { account: 'funding', currency: 'EUR', amount: -10n },
        { account: 'merchant.pending', currency: 'USD', amount: 10n },
      ],
    ],
  ])('refuses %s', async (_, postings) => {
    const before = await countLines();
    await expect(write(postings)).rejects.toMatchObject({ code: 'internal_error' });
    expect(await countLines()).toBe(before);
  });

  it('writes nothing for amounts of zero', async () => {
    const before = await countLines();
    await write([...move('merchant.pending', 'merchant.reserved', 'EUR', 0n)]);
    expect(await countLines()).toBe(before);
  });

  it('balances a conversion in each currency', async () => {
    const given = { currency: 'EUR', amount: 1_000n };
    await write(exchange('funding', given, 'merchant.available', { currency: 'USD', amount: 1_090n }));
    const { rows } = await lab.database.pool.query(
      `select account, currency, amount::int from ledger_entries where account = 'fx' order by currency`,
    );
    expect(rows).toEqual([
      { account: 'fx', currency: 'EUR', amount: 1_000 },
      { account: 'fx', currency: 'USD', amount: -1_090 },
    ]);
  });
});

describe('the database', () => {
  const insert = (lines: string) =>
    lab.database.pool.query(`insert into ledger_entries
      (merchant_id, transaction_id, line, livemode, account, currency, amount, created_at) values ${lines}`);
  const line = (transaction: string, index: number, currency: string, amount: number) =>
    `('acct_x', '${transaction}', ${index}, false, 'fx', '${currency}', ${amount}, now())`;

  it.each([
    ['one line', [['EUR', 5]]],
    [
      'lines that do not sum to zero',
      [
        ['EUR', 5],
        ['EUR', -4],
      ],
    ],
    [
      'lines that balance across currencies only',
      [
        ['EUR', 5],
        ['USD', -5],
      ],
    ],
  ] as const)('refuses %s', async (_, lines) => {
    const values = lines.map(([currency, amount], index) => line('txn_bad', index + 1, currency, amount));
    await expect(insert(values.join(', '))).rejects.toMatchObject({ code: '23514' });
  });

  it('refuses a further posting in a balanced transaction', async () => {
    await insert([line('txn_good', 1, 'EUR', 5), line('txn_good', 2, 'EUR', -5)].join(', '));
    await expect(insert(line('txn_good', 3, 'EUR', 1))).rejects.toMatchObject({ code: '23514' });
  });

  it.each([
    'update ledger_entries set amount = -amount',
    'delete from ledger_entries',
    'truncate ledger_entries',
    "update ledger_transactions set kind = 'x'",
    'delete from ledger_transactions',
    'truncate ledger_transactions',
  ])('refuses to %s', async statement => {
    await expect(lab.database.pool.query(statement)).rejects.toMatchObject({ code: '42501' });
  });
});

describe('the balance of a merchant', () => {
  it('changes between pending, reserved and paid out with payments and refunds', async () => {
    const shop = await lab.addMerchant();
    const of = async () => (await lab.request('GET /v1/balance', { key: shop.secretKey })).body;
    expect(await of()).toEqual({
      object: 'balance',
      available: [],
      pending: [],
      reserved: [],
      suspense: [],
      receivable: [],
      livemode: false,
    });
    const fund = { currency: 'jpy', amount: 5_000 };
    await lab.request('POST /v1/test_helpers/fund', { key: shop.secretKey, body: fund });
    expect((await of()).available).toEqual([{ currency: 'JPY', amount: 5_000 }]);
    const { id } = await lab.createPaid();
    expect(await lab.balance()).toMatchObject({ 'pending EUR': 12_840 });
    await lab.act(id, 'refunds', { amount: 840 });
    expect(await lab.balance()).toMatchObject({ 'pending EUR': 12_000, 'reserved EUR': 840 });
    await lab.sweep('outbound.send');
    const after = await lab.balance();
    expect([after['pending EUR'], after['reserved EUR']]).toEqual([12_000, undefined]);
  });

  it('is read without its entries, also while their sums are folded', async () => {
    const shop = await lab.addMerchant();
    const of = () => lab.request('GET /v1/balance', { key: shop.secretKey });
    const postMany = (count: number) =>
      lab.database.db.transaction().execute(tx =>
        post(
          tx,
          Array.from({ length: count }, () => ({
            merchantId: shop.id,
            livemode: false,
            kind: 'test',
            now,
            postings: move('funding', 'merchant.available', 'EUR', 2n),
          })),
        ),
      );
    for (const count of [600, 400]) {
      await postMany(count);
      await lab.sweep('ledger.fold');
    }
    await postMany(3);
    const log = logStatements();
    const rows = await touchedRows(lab.database, log, of);
    log.stop();
    expect(rows).toBeLessThan(50);
    expect((await of()).body.available).toEqual([{ currency: 'EUR', amount: 2_006 }]);
    await Promise.all([lab.sweep('ledger.fold'), postMany(1), of()]);
    await lab.sweep('ledger.fold');
    expect((await of()).body.available).toEqual([{ currency: 'EUR', amount: 2_008 }]);
  });

  it('is listed by posting, newest first, each with its object', async () => {
    lab.clock.advance(1);
    const { id } = await lab.createPaid({ amount: 700, currency: 'USD' });
    const { data, has_more: more } = (await lab.request('GET /v1/balance/entries?limit=1')).body;
    expect(more).toBe(true);
    expect(data).toEqual([
      {
        id: expect.stringMatching(/^txn_[0-9A-Za-z]{22}L\d$/),
        object: 'balance_entry',
        account: 'pending',
        kind: 'capture',
        amount: 700,
        currency: 'USD',
        payment: id,
        refund: null,
        source: null,
        livemode: false,
        asset: null,
        asset_amount: null,
        created_at: lab.clock.now().toISOString(),
      },
    ]);
    const own = (await lab.request(`GET /v1/balance/entries?payment=${id}`)).body.data;
    expect(own.map((entry: { payment: string }) => entry.payment)).toEqual([id]);
    const next = await lab.request(`GET /v1/balance/entries?limit=100&starting_after=${data[0].id}`);
    expect(next.status).toBe(200);
    expect(next.body.data.map((entry: { id: string }) => entry.id)).not.toContain(data[0].id);
  });

  it('holds assets beside currencies, as decimal text', async () => {
    const shop = await lab.addMerchant();
    const fund = (body: object) => lab.request('POST /v1/test_helpers/fund', { key: shop.secretKey, body });
    await fund({ asset: 'XLM', amount: '12.3456789' });
    const { status, body } = await fund({ asset: 'USDC', amount: '0.5' });
    expect(status).toBe(200);
    expect(body.available).toEqual([
      { asset: expect.stringMatching(/^USDC:G/), amount: '0.5000000' },
      { asset: 'XLM', amount: '12.3456789' },
    ]);
  });

  it.each([
    [{ currency: 'ABC', amount: 1 }, 'invalid_currency', 'currency'],
    [{ currency: 'EUR', amount: 0 }, 'invalid_amount', 'amount'],
    [{ currency: 'EUR', amount: '5' }, 'invalid_amount', 'amount'],
    [{ asset: 'USDC', amount: 5 }, 'invalid_amount', 'amount'],
    [{ asset: 'USDC', amount: '0.00000001' }, 'invalid_amount', 'amount'],
    [{ asset: 'WORTHLESS', amount: '1' }, 'invalid_asset', 'asset'],
    [{ amount: 5 }, 'parameter_missing', 'currency'],
    [{ asset: 'USDC', currency: 'EUR', amount: '1' }, 'parameter_invalid', 'asset'],
  ])('refuses %j as test funds', async (body, code, param) => {
    expect(refusal(await lab.request('POST /v1/test_helpers/fund', { body }))).toEqual([400, code, param]);
  });
});
