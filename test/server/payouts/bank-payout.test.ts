import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PayoutLab, startPayoutLab } from './payout-lab.ts';

let lab: PayoutLab;
beforeAll(async () => {
  lab = await startPayoutLab();
  await lab.fund(10_000_00, 'USD');
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

/** An account for each bank rail of test mode. */
const accounts = {
  sepa: { iban: 'DE89370400440532013000' },
  ach: { routing: '021000021', account: '000123456789' },
  swift: { bic: 'NEDSZAJJ', account: '62001872440', country: 'ZA' },
};

/** A payout to an account holder of test mode. The holder's name decides the outcome. */
const to = (rail: keyof typeof accounts, account_holder: string) => ({
  amount: 2_500,
  currency: 'USD',
  destination: { type: 'bank_account', ...accounts[rail], account_holder },
});

const available = async () => (await lab.balance())['available USD'] ?? 0;

describe.each(['sepa', 'ach', 'swift'] as const)('payouts by %s', rail => {
  it('arrive, fail or are returned as the bank reports in its files', async () => {
    const before = await available();
    const ends = { 'Ada Lovelace': 'completed', 'Closed Account': 'failed', 'Returned Later': 'returned' };
    const batch = await lab.pay(Object.keys(ends).map(holder => to(rail, holder)));
    const byHolder = async () => {
      const payouts = await lab.payoutsOf(batch.id);
      return new Map(
        payouts.map(one => [one.destination.type === 'bank_account' && one.destination.account_holder, one]),
      );
    };
    await lab.until('the bank has answered', async () => {
      const payouts = await byHolder();
      return Object.entries(ends).every(([holder, status]) => payouts.get(holder)?.status === status);
    });
    const payouts = await byHolder();
    expect(payouts.get('Ada Lovelace')?.trace.rail).toBe(rail);
    expect(payouts.get('Closed Account')?.failure?.code).toBe('account_closed');
    expect(payouts.get('Returned Later')?.failure?.code).toBe('account_closed');
    expect(before - (await available())).toBe(2_500);
  });
});

let answers = 0;

/** Puts an answer into the inbox of test mode's bank. */
async function answer(content: string): Promise<void> {
  await lab.database.pool.query('insert into sandbox.bank_answers (name, content, due_at) values ($1, $2, now())', [
    `by-hand-${++answers}.xml`,
    content,
  ]);
}

const returnOf = (reference: string, amount: string, currency = 'USD') =>
  `<Document><BkToCstmrDbtCdtNtfctn><GrpHdr><MsgId>N-${answers}</MsgId></GrpHdr><Ntfctn><Id>1</Id><Ntry>
  <CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><NtryDtls><TxDtls><Refs><EndToEndId>${reference}</EndToEndId></Refs>
  <Amt Ccy="${currency}">${amount}</Amt><RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf></TxDtls></NtryDtls></Ntry></Ntfctn></BkToCstmrDbtCdtNtfctn></Document>`;

/** A completed payout, and its reference at the bank. */
async function completed() {
  const batch = await lab.pay([to('sepa', 'Ada Lovelace')]);
  await lab.ended(batch.id);
  const [payout] = await lab.payoutsOf(batch.id);
  const { rows } = await lab.database.pool.query('select id from outbound_transfers where resource_id = $1', [
    payout?.id,
  ]);
  const read = async () => (await lab.payoutsOf(batch.id))[0];
  return { id: payout?.id ?? '', reference: String(rows[0].id).replace('_', '-'), read };
}

describe('money that a bank returns in parts', () => {
  it('is credited part by part, and the payout is returned when all of it is back', async () => {
    const { id, reference, read } = await completed();
    const before = await available();
    const cameBack = (amount: number) =>
      lab.until(`${amount} came back`, async () => (await read())?.returned.amount === amount);
    await answer(returnOf(reference, '10.00'));
    await cameBack(1_000);
    expect(await read()).toMatchObject({
      status: 'completed',
      returned: { amount: 1_000, currency: 'USD' },
      failure: { code: 'account_closed' },
    });
    expect((await available()) - before).toBe(1_000);
    await answer(returnOf(reference, '20.00'));
    await cameBack(2_500);
    expect(await read()).toMatchObject({ status: 'returned', returned: { amount: 2_500, currency: 'USD' } });
    expect((await available()) - before).toBe(2_500);
    const [excess] = (await lab.request('GET /v1/bank-answers')).body.data;
    expect(excess).toMatchObject({ reason: 'excess', amount: '5.00', currency: 'USD', payment_amount: '25.00' });
    expect((await lab.eventsOf(id)).slice(-2)).toEqual(['payout.partially_returned', 'payout.returned']);
  });
});

describe('answers in any sequence', () => {
  it('credit at most what was debited', async () => {
    const payouts = await Promise.all([completed(), completed(), completed(), completed()]);
    const steps = fc.sample(
      fc.record({
        payout: fc.constantFrom(...payouts),
        cents: fc.integer({ min: 1, max: 2_500 }),
        currency: fc.constantFrom('USD', 'USD', 'USD', 'EUR'),
      }),
      20,
    );
    for (const { payout, cents, currency } of steps) {
      await answer(returnOf(payout.reference, (cents / 100).toFixed(2), currency));
    }
    await lab.until('all answers are read', async () => {
      const { rows } = await lab.database.pool.query(
        'select (select count(*) from sandbox.bank_answers where not is_archived) + (select count(*) from payout_returns where not booked) as open',
      );
      return Number(rows[0].open) === 0;
    });
    await lab.until('all returns are booked', async () => (await lab.sweep('payouts.returns')) === 0);
    for (const { reference, read } of payouts) {
      const asked = steps.filter(one => one.payout.reference === reference && one.currency === 'USD');
      const sum = asked.reduce((total, { cents }) => total + cents, 0);
      expect((await read())?.returned.amount).toBe(Math.min(sum, 2_500));
    }
    for (const { id } of (await lab.request('GET /v1/bank-answers?handled=false&limit=100')).body.data) {
      await lab.request(`POST /v1/bank-answers/${id}/dismiss`);
    }
  });
});

describe('answers that change nothing', () => {
  it('need the operator, who finds and dismisses them', async () => {
    const needs = async () => (await lab.request('GET /v1/reports/overview')).body.attention;
    const { reference } = await completed();
    const before = await available();
    await answer(returnOf(reference, '25.00', 'EUR'));
    await lab.until('the answer is put aside', async () => (await needs()).length === 1);
    expect(await available()).toBe(before);
    const [item] = await needs();
    expect(item).toEqual({
      kind: 'bank_answers_put_aside',
      count: 1,
      has_more: false,
      url: '/v1/bank-answers?handled=false',
    });
    const { body } = await lab.request(`GET ${item.url as '/'}`);
    expect(body.data).toMatchObject([
      {
        object: 'bank_answer',
        reason: 'other_currency',
        amount: '25.00',
        currency: 'EUR',
        reference,
        payment_amount: '25.00',
        payment_currency: 'USD',
        handled_at: null,
      },
    ]);
    const path = `/v1/bank-answers/${body.data[0].id}` as const;
    expect((await lab.request(`POST ${path}/dismiss`)).body.handled_at).toMatch(/^20/);
    const { handled_at: at } = (await lab.request(`POST ${path}/dismiss`)).body;
    expect((await lab.request(`GET ${path}`)).body.handled_at).toBe(at);
    expect(await needs()).toEqual([]);
    expect((await lab.request('GET /v1/bank-answers/ba_none')).status).toBe(404);
  });

  it('are hidden from other merchants', async () => {
    const other = await lab.addMerchant();
    for (const call of ['GET /v1/bank-answers', 'POST /v1/bank-answers/ba_1/dismiss'] as const) {
      const { status, body } = await lab.request(call, { key: other.secretKey });
      expect([status, body.error.code]).toEqual([403, 'role_not_allowed']);
    }
  });
});
