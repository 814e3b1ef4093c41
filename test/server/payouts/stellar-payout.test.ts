import { Keypair } from '@stellar/stellar-sdk/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assets } from '../../support/stellar-lab.ts';
import { type PayoutLab, startPayoutLab } from './payout-lab.ts';

let lab: PayoutLab;
beforeAll(async () => {
  lab = await startPayoutLab();
  await lab.fund(100_000_00, 'USD');
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

const wallet = (address: string, more = {}, amount = 1_000) => ({
  amount,
  currency: 'USD',
  destination: { type: 'crypto_wallet', chain: 'stellar', address, asset: 'USDC', ...more },
});

const one = async (batchId: string) => {
  const [payout] = await lab.payoutsOf(batchId);
  if (payout === undefined) throw new Error(`${batchId} has no payout`);
  return payout;
};

describe('a payout that the treasury cannot pay', { timeout: 60_000 }, () => {
  it('waits on hold, is shown as needing someone, and is sent once the treasury is funded', async () => {
    await lab.fund(2_000_000_00, 'USD');
    const payee = (await lab.openAccount(assets.USDC)).publicKey();
    const { id } = await lab.pay([wallet(payee, {}, 1_900_000_00)]);
    await lab.until('it is on hold', async () => (await one(id)).status === 'on_hold');
    const held = await one(id);
    expect(held.hold).toEqual({ code: 'treasury_short', message: expect.stringContaining('does not hold enough') });
    const { attention } = (await lab.request('GET /v1/reports/overview')).body;
    expect(attention).toContainEqual(expect.objectContaining({ kind: 'payouts_on_hold', count: 1 }));
    // A payout beside it is sent.
    const small = await lab.pay([wallet((await lab.openAccount(assets.USDC)).publicKey())]);
    expect(await lab.ended(small.id)).toMatchObject({ status: 'completed' });

    for (let gift = 0; gift < 2; gift++) await lab.give(lab.treasury, assets.USDC);
    await lab.until('it is sent', async () => {
      await lab.request('POST /v1/test_helpers/clock', { body: { advance: 'PT61S' } });
      return (await one(id)).status === 'completed';
    });
    expect((await one(id)).hold).toBeNull();
    expect(await lab.eventsOf(held.id)).toEqual([
      ...['payout.created', 'payout.on_hold', 'payout.queued', 'payout.processing', 'payout.completed'],
    ]);
    expect((await lab.balance())['reserved USD'] ?? 0).toBe(0);
  });

  it('by its route is planned again with what the treasury holds', async () => {
    const { pool } = lab.database;
    // Without a free channel, the transfer stays queued.
    await pool.query(`update channel_accounts set due_at = now() + interval '1 day'`);
    const payee = (await lab.openAccount(assets.USDC)).publicKey();
    const { id } = await lab.pay([wallet(payee)]);
    const payout = await one(id);
    await lab.until('its transfer is queued', async () => {
      const { rowCount } = await pool.query(
        `update outbound_transfers set source_asset = 'XLM', source_max = 9000000000000000000 where resource_id = $1`,
        [payout.id],
      );
      return rowCount === 1;
    });
    await pool.query('update channel_accounts set due_at = now()');
    expect(await lab.ended(id)).toMatchObject({ status: 'completed' });
    expect(await lab.eventsOf(payout.id)).toEqual(['payout.created', 'payout.processing', 'payout.completed']);
    const { rows } = await pool.query(
      'select attempt, state, failure_code from outbound_transfers where resource_id = $1 order by attempt',
      [payout.id],
    );
    expect(rows).toEqual([
      { attempt: 1, state: 'failed', failure_code: 'canceled' },
      { attempt: 2, state: 'completed', failure_code: null },
    ]);
  });
});

describe('payouts on Stellar', () => {
  it('arrive, each exactly once, and leave the balance', async () => {
    const payees = await Promise.all([lab.openAccount(assets.USDC), lab.openAccount(assets.USDC)]);
    const before = await lab.balance();
    const batch = await lab.pay(payees.map(key => wallet(key.publicKey())));
    expect(batch).toMatchObject({ status: 'processing', counts: { total: 2, accepted: 2, pending: 2 } });
    expect(await lab.ended(batch.id)).toMatchObject({ status: 'completed', counts: { completed: 2, pending: 0 } });
    const payouts = await lab.payoutsOf(batch.id);
    for (const payout of payouts) {
      expect(payout).toMatchObject({ status: 'completed', trace: { rail: 'stellar', tx_hash: expect.any(String) } });
      expect(await lab.eventsOf(payout.id)).toEqual(['payout.created', 'payout.processing', 'payout.completed']);
    }
    for (const key of payees) expect(Number(await lab.holds(key.publicKey(), assets.USDC))).toBeGreaterThan(9.5);
    const after = await lab.balance();
    expect((before['available USD'] ?? 0) - (after['available USD'] ?? 0)).toBe(2_000);
    expect(after['reserved USD'] ?? 0).toBe(0);
  });

  it('fail alone when one payee cannot take the money', async () => {
    const [good, bare] = await Promise.all([lab.openAccount(assets.USDC), lab.openAccount()]);
    const before = await lab.balance();
    const rows = [wallet(good.publicKey()), wallet(bare.publicKey()), wallet(Keypair.random().publicKey())];
    const batch = await lab.pay(rows);
    expect(await lab.ended(batch.id)).toMatchObject({
      status: 'partially_completed',
      counts: { completed: 1, failed: 2 },
    });
    const payouts = await lab.payoutsOf(batch.id);
    expect(new Set(payouts.map(({ failure }) => failure?.code ?? null))).toEqual(
      new Set([null, 'no_trustline', 'destination_missing']),
    );
    const after = await lab.balance();
    expect((before['available USD'] ?? 0) - (after['available USD'] ?? 0)).toBe(1_000);
  });

  it('become claimable balances where the row allows it', async () => {
    const bare = await lab.openAccount();
    const batch = await lab.pay([wallet(bare.publicKey(), { claimable_balance: true })]);
    expect(await lab.ended(batch.id)).toMatchObject({ status: 'completed' });
  });

  it('on other chains wait with a reason', async () => {
    const row = {
      amount: 1_000,
      currency: 'USD',
      destination: {
        type: 'crypto_wallet',
        chain: 'ethereum',
        asset: 'USDC',
        address: '0x52908400098527886E0F7030069857D2E4169EE7',
      },
    };
    const dryRun = await lab.request('POST /v1/payouts/bulk', { body: { payouts: [row], dry_run: true } });
    const batch = await lab.pay([row]);
    const [payout] = await lab.payoutsOf(batch.id);
    expect(payout).toMatchObject({ status: 'on_hold', hold: { code: 'no_route' } });
    expect(dryRun.body).toMatchObject({
      errors: [],
      holds: [{ index: 0, param: 'payouts[0].destination', ...payout?.hold }],
    });
    expect((await lab.request(`POST /v1/payouts/${payout?.id}/cancel`)).body).toMatchObject({ status: 'canceled' });
    expect(await lab.readBatch(batch.id)).toMatchObject({ status: 'canceled' });
  });

  it('are checked against the network by a dry run, row by row, and nothing is written', async () => {
    const [good, bare] = await Promise.all([lab.openAccount(assets.USDC), lab.openAccount()]);
    const addresses = [good.publicKey(), bare.publicKey(), Keypair.random().publicKey()];
    const before = [await lab.balance(), (await lab.request('GET /v1/payout-batches')).body.data];
    const rows = [...addresses.map(address => wallet(address)), wallet(bare.publicKey(), { claimable_balance: true })];
    const answer = await lab.request('POST /v1/payouts/bulk', { body: { payouts: rows, dry_run: true } });
    expect([answer.status, answer.body.id]).toEqual([200, null]);
    expect(answer.body.totals).toMatchObject([{ currency: 'USD', amount: 4_000, count: 4 }]);
    expect(answer.body.errors).toMatchObject([
      { index: 1, param: 'payouts[1].destination.address', code: 'no_trustline' },
      { index: 2, param: 'payouts[2].destination.address', code: 'destination_missing' },
    ]);
    expect([await lab.balance(), (await lab.request('GET /v1/payout-batches')).body.data]).toEqual(before);
  });
});
