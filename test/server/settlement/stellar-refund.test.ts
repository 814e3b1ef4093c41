import { Keypair } from '@stellar/stellar-sdk/base';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Payment } from '../../../src/api/payment.ts';
import type { Refund } from '../../../src/api/refund.ts';
import { parseUnits } from '../../../src/core/money.ts';
import { sandboxAssets } from '../../../src/sandbox/stellar/index.ts';
import { defectsOf } from '../../support/axe.ts';
import { sharedBrowser } from '../../support/browser.ts';
import { browserDir } from '../../support/built.ts';
import { type SettlementLab, startSettlementLab } from './settlement-lab.ts';

const { USDC } = sandboxAssets;
const many = 1_000n * 10_000_000n;
let lab: SettlementLab;
beforeAll(async () => {
  lab = await startSettlementLab({}, { browserDir });
}, 120_000);
afterEach(() => lab.expectSoundBooks());
afterAll(() => lab?.close());

async function openPayer(): Promise<Keypair> {
  const payer = await lab.openAccount(USDC);
  await lab.give(payer.publicKey(), USDC);
  return payer;
}

/** A payment, paid in full from the account. */
async function payFrom(payer: Keypair, changes: object = {}): Promise<Payment> {
  const { id } = await lab.create({ payment_methods: ['crypto'], ...changes });
  const confirmed = await lab.act(id, 'confirm', { method: 'crypto', chain: 'stellar', asset: USDC });
  expect(confirmed.status, confirmed.text).toBe(200);
  const { address, amount } = confirmed.body.next_action;
  await lab.onLedger(payer, {
    type: 'payment',
    destination: address,
    asset: USDC,
    amount: parseUnits(amount, 7) ?? 0n,
  });
  await lab.until('it is paid', async () => (await lab.read(id)).status === 'completed');
  return await lab.read(id);
}

async function startRefund(payment: Payment, body: object = {}): Promise<Refund> {
  const { status, body: refund, text } = await lab.act(payment.id, 'refunds', body);
  expect(status, text).toBe(201);
  return refund;
}
const readRefund = async ({ id, payment }: Refund): Promise<Refund> => {
  const { data } = (await lab.request(`GET /v1/payments/${payment}/refunds`)).body;
  return data.find((refund: Refund) => refund.id === id);
};
const untilRefund = async (refund: Refund, what: string, holds: (now: Refund) => boolean) => {
  await lab.until(what, async () => holds(await readRefund(refund)));
  return await readRefund(refund);
};

describe('a refund of a payment on Stellar', { timeout: 40_000 }, () => {
  it('goes to the sending account, in the received asset, once', async () => {
    const payer = await openPayer();
    const payment = await payFrom(payer);
    const before = await lab.holds(payer.publicKey(), USDC);
    const refund = await startRefund(payment);
    expect(refund.tx_hash).toBeNull();
    const { tx_hash: hash } = await untilRefund(refund, 'it is sent', ({ status }) => status === 'completed');
    expect((await lab.read(payment.id)).status).toBe('refunded');
    const onNetwork = await lab.app.http.inject(`/sandbox/horizon/transactions/${hash}/operations`);
    expect(onNetwork.json()._embedded.records).toMatchObject([{ to: payer.publicKey() }]);
    const { body: found } = await lab.request(`GET /v1/search?q=${hash}`);
    expect(found.data).toMatchObject([{ type: 'refund', id: refund.id, parent: payment.id }]);
    const { body: events } = await lab.request(`GET /v1/events?resource=${refund.id}&type=refund.completed`);
    expect(events.data[0].data).toMatchObject({ object: { tx_hash: hash }, previous: { tx_hash: null } });
    expect(Number(await lab.holds(payer.publicKey(), USDC))).toBeGreaterThan(Number(before));
    expect(await lab.holds(payer.publicKey(), USDC)).toBe('1000000.0000000');
  });

  it('is paid by the service after the settlement, and the merchant’s balance becomes negative', async () => {
    const merchant = (await lab.openAccount(USDC)).publicKey();
    const payer = await openPayer();
    const payment = await payFrom(payer, { settlement_address: merchant });
    await lab.settledPayment(payment.id);
    const refund = await startRefund(payment, { amount: payment.amount });
    await untilRefund(refund, 'it is sent', ({ status }) => status === 'completed');
    expect(await lab.holds(payer.publicKey(), USDC)).toBe('1000000.0000000');
    const { receivable } = (await lab.request('GET /v1/balance')).body;
    expect(receivable).toEqual([{ currency: 'EUR', amount: payment.amount }]);
  });
});

/** Opens the claim page, or sends its form. Returns its text. */
async function visit(refund: Refund, form?: Record<string, string>) {
  const { pathname } = new URL(refund.claim_url ?? '');
  const answer = await lab.app.http.inject({
    method: form === undefined ? 'GET' : 'POST',
    url: pathname,
    ...(form && {
      payload: new URLSearchParams(form).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
  });
  const text = answer.body.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
  return { status: answer.statusCode, text, headers: answer.headers };
}

/** Whether the lists of payments and refunds, and the CSV, name the refund among those that wait for a destination. */
async function listedAsWaiting({ id, payment }: Refund): Promise<boolean[]> {
  const lists = [
    ['payments?limit=100&refund_requires_destination=', payment],
    ['payments.csv?refund_requires_destination=', payment],
    ['refunds?limit=100&requires_destination=', id],
  ] as const;
  return await Promise.all(
    lists.map(async ([list, name]) => {
      const isListed = async (value: boolean) => {
        const { status, text } = await lab.request(`GET /v1/${list}${value}`);
        expect(status, text).toBe(200);
        return text.includes(name);
      };
      const waits = await isListed(true);
      expect(await isListed(false)).toBe(!waits);
      return waits;
    }),
  );
}

describe('a refund that its sender cannot receive', { timeout: 60_000 }, () => {
  /** The payer spends the rest and closes the trustline. */
  async function leave(payer: Keypair): Promise<void> {
    const { balances } = (await lab.account(payer.publicKey())) ?? { balances: [] };
    const amount = balances.find(({ asset }) => asset === USDC)?.balance ?? 0n;
    const other = (await lab.openAccount(USDC)).publicKey();
    await lab.onLedger(
      payer,
      { type: 'payment', destination: other, asset: USDC, amount },
      { type: 'changeTrust', asset: USDC, limit: 0n },
    );
  }

  async function startWaiting(): Promise<{ payer: Keypair; refund: Refund }> {
    const payer = await openPayer();
    const payment = await payFrom(payer);
    await leave(payer);
    const refund = await startRefund(payment);
    return { payer, refund: await untilRefund(refund, 'it waits', now => now.requires_destination) };
  }

  it('waits for an address, notifies the merchant, and goes where the payer says', async () => {
    const { payer, refund } = await startWaiting();
    expect(refund).toMatchObject({ status: 'pending', failure: null });
    expect(await lab.eventsOf(refund.id)).toEqual(['refund.created', 'refund.requires_destination']);
    expect(await listedAsWaiting(refund)).toEqual([true, true, true]);
    const page = await visit(refund);
    expect(page.status).toBe(200);
    expect(page.text).toContain('cannot hold USDC');
    expect(page.headers['content-security-policy']).toMatch(
      /default-src 'none'.*form-action 'self'.*frame-ancestors 'none'/,
    );

    const bare = (await lab.openAccount()).publicKey();
    const refusals: [Record<string, string>, string][] = [
      [{ address: '' }, 'Enter the address'],
      [{ address: 'nonsense' }, 'This is no Stellar address'],
      [{ address: Keypair.random().publicKey() }, 'There is no account at this address yet'],
      [{ address: bare }, 'This account cannot hold USDC yet'],
      [{ address: lab.treasury }, 'the address you paid to'],
      [{ address: payer.publicKey(), memo: 'x', memo_type: 'id' }, 'This account cannot hold USDC yet'],
    ];
    for (const [form, sentence] of refusals) {
      const refused = await visit(refund, form);
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(sentence)]);
    }
    const taker = (await lab.openAccount(USDC)).publicKey();
    for (const [memo, type] of [
      ['x', 'id'],
      ['a\0b', 'text'],
    ] as const) {
      expect((await visit(refund, { address: taker, memo, memo_type: type })).text).toContain('not a valid memo');
    }

    expect((await visit(refund, { address: taker, memo: '' })).status).toBe(303);
    await untilRefund(refund, 'it is sent', ({ status }) => status === 'completed');
    expect(await listedAsWaiting(refund)).toEqual([false, false, false]);
    expect(await lab.holds(taker, USDC)).toBe('139.9560000');
    const done = await visit(refund);
    expect(done.text).toMatch(new RegExp(`Sent .*${taker}.*[0-9a-f]{64}`));
    expect((await visit(refund, { address: payer.publicKey() })).status).toBe(303);
    expect(await lab.eventsOf(refund.id)).toHaveLength(3);
  });

  it('goes to the same account once that can receive it', async () => {
    const { payer, refund } = await startWaiting();
    await lab.onLedger(payer, { type: 'changeTrust', asset: USDC, limit: many });
    expect((await visit(refund, { address: payer.publicKey() })).status).toBe(303);
    await untilRefund(refund, 'it is sent', ({ status }) => status === 'completed');
    expect(await lab.holds(payer.publicKey(), USDC)).toBe('139.9560000');
  });

  it('asks again when the given address cannot receive it either', async () => {
    const { refund } = await startWaiting();
    const fickle = await lab.openAccount(USDC);
    const address = fickle.publicKey();
    // This call caches the valid account. Later only the ledger knows that the trustline is gone.
    expect((await visit(refund, { address, memo: 'x', memo_type: 'id' })).status).toBe(400);
    await lab.onLedger(fickle, { type: 'changeTrust', asset: USDC, limit: 0n });
    expect((await visit(refund, { address })).status).toBe(303);
    await lab.until('it asks again', async () => (await lab.eventsOf(refund.id)).length === 3);
    expect((await visit(refund)).text).toContain('Your Stellar address');
    await lab.onLedger(fickle, { type: 'changeTrust', asset: USDC, limit: many });
    expect((await visit(refund, { address })).status).toBe(303);
    await untilRefund(refund, 'it is sent', ({ status }) => status === 'completed');
    expect(await lab.holds(address, USDC)).toBe('139.9560000');
  });

  it('is claimed in a browser, by a page that is accessible on small and wide screens, light and dark', async () => {
    const { refund } = await startWaiting();
    const taker = (await lab.openAccount(USDC)).publicKey();
    const bare = (await lab.openAccount()).publicKey();
    const page = await (await sharedBrowser()).newPage();
    const expectAccessible = async () => {
      for (const [width, colorScheme] of [
        [360, 'light'],
        [1280, 'dark'],
      ] as const) {
        await page.setViewportSize({ width, height: 740 });
        await page.emulateMedia({ colorScheme });
        expect(await defectsOf(page), colorScheme).toEqual([]);
      }
    };
    const complaints: string[] = [];
    page.on('console', message => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', error => complaints.push(error.message));
    await page.goto(`${lab.url}${new URL(refund.claim_url ?? '').pathname}`);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await expectAccessible();
    const address = page.getByLabel('Your Stellar address');
    await address.fill(bare);
    await address.press('Enter');
    await page.getByText('Add USDC in your wallet').waitFor();
    expect(await address.inputValue()).toBe(bare);
    await expectAccessible();
    await address.fill(taker);
    await page.getByRole('button', { name: 'Send 139.956 USDC there' }).click();
    await page.getByRole('heading', { name: 'Sent' }).waitFor();
    await expectAccessible();
    // The browser logs the status 400 of the first address.
    expect(complaints.filter(text => !text.includes('400 (Bad Request)'))).toEqual([]);
    expect(await lab.holds(taker, USDC)).toBe('139.9560000');
    await page.close();
  });

  it('shows nothing for a guessed token', async () => {
    const { statusCode, body } = await lab.app.http.inject(`/refund/${'a'.repeat(66)}`);
    expect([statusCode, body]).toEqual([404, expect.stringContaining('This refund does not exist')]);
  });
});
