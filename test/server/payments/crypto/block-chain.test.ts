import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Payment } from '../../../../src/api/payment.ts';
import { parseUnits } from '../../../../src/core/money.ts';
import { sandboxAssets } from '../../../../src/sandbox/stellar/index.ts';
import { createBlockChain } from '../../../support/block-chain.ts';
import { type PaymentLab, startPaymentLab } from '../payment-lab.ts';
import { askedOf, cryptoOrder, percentOf } from './crypto-lab.ts';

const usdc = sandboxAssets.USDC;
const { chain, ledger } = createBlockChain(usdc);
let lab: PaymentLab;

beforeAll(async () => {
  const rail = { chain, livemode: false, account: 'blk1account', wallets: null, payees: null };
  lab = await startPaymentLab({ chains: [rail] });
  await look();
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

/** Lets the service read the chain. */
async function look(): Promise<void> {
  lab.clock.advance(5);
  await lab.sweep('payments.deposits');
}

async function mine(blocks: number): Promise<void> {
  ledger.mine(blocks);
  await look();
}

async function open(changes: object = {}): Promise<Payment> {
  const { id } = await lab.create({ ...cryptoOrder, ...changes });
  const answer = await lab.act(id, 'confirm', { method: 'crypto', chain: 'blocks', asset: 'USDC' });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

const units = (amount: string) => parseUnits(amount, 7) ?? 0n;

/** Sends the payment's amount, or another one. Returns the hash. */
function send(payment: Payment, amount = askedOf(payment).amount): string {
  return ledger.send(askedOf(payment).address, usdc, units(amount));
}

/** The phase of the payment, with the confirmations that the payer sees. */
async function stateOf({ id }: Payment): Promise<string> {
  const { phase, next_action: action } = await lab.read(id);
  return action?.type === 'crypto_transfer'
    ? `${phase} ${action.confirmations}/${action.required_confirmations}`
    : phase;
}

describe('a payment on a chain with a mempool', () => {
  it('is confirming from the first sighting, and paid when the deposit is final', async () => {
    const payment = await open();
    const { address, base_address, memo } = askedOf(payment);
    expect([base_address, memo]).toEqual([address, null]);
    const states = [await stateOf(payment)];
    send(payment);
    await look();
    states.push(await stateOf(payment));
    for (let block = 0; block < 3; block++) {
      await mine(1);
      states.push(await stateOf(payment));
    }
    expect(states).toEqual(['awaiting_funds 0/3', 'confirming 0/3', 'confirming 1/3', 'confirming 2/3', 'paid']);
    expect(await lab.eventsOf(payment.id)).toEqual(['payment.created', 'payment.confirming', 'payment.completed']);
    await look();
    expect((await lab.read(payment.id)).amount_received).toBe(12_840);
  });

  it('is credited once when the whole history appears at once', async () => {
    const payment = await open();
    send(payment);
    await mine(4);
    expect(await lab.read(payment.id)).toMatchObject({ phase: 'paid', amount_received: 12_840, exception: null });
  });

  it('counts no confirmations of a replaced block, and continues in the new one', async () => {
    const payment = await open();
    send(payment);
    await mine(2);
    const states = [await stateOf(payment)];
    ledger.reorg(2);
    await look();
    states.push(await stateOf(payment));
    await mine(1);
    states.push(await stateOf(payment));
    await mine(2);
    states.push(await stateOf(payment));
    expect(states).toEqual(['confirming 2/3', 'confirming 0/3', 'confirming 1/3', 'paid']);
    expect((await lab.read(payment.id)).amount_received).toBe(12_840);
  });

  it('waits for the payer again when the transaction is dropped, and takes the next one', async () => {
    const payment = await open();
    const hash = send(payment);
    await look();
    ledger.replace(hash);
    await look();
    expect(await stateOf(payment)).toBe('awaiting_funds 0/3');
    send(payment);
    await mine(3);
    expect(await stateOf(payment)).toBe('paid');
  });

  it('holds the price of the first sighting, and does not expire before the deposit is final', async () => {
    const payment = await open();
    send(payment);
    await look();
    lab.clock.advance(2 * 86_400);
    await lab.sweep('payments.expire');
    await mine(3);
    expect(await lab.read(payment.id)).toMatchObject({ phase: 'paid', exception: null });
  });

  it('shows the rest while a second part is not final', async () => {
    const payment = await open();
    send(payment, percentOf(askedOf(payment).amount, 40));
    await mine(3);
    expect(await stateOf(payment)).toMatch(/^partially_paid/);
    send(payment, percentOf(askedOf(payment).amount, 60));
    await look();
    expect(await stateOf(payment)).toBe('confirming 0/3');
    await mine(3);
    expect(await lab.read(payment.id)).toMatchObject({ phase: 'paid', amount_received: 12_840 });
  });

  it('asks more confirmations for a large amount', async () => {
    const payment = await open({ amount: 20_000_000 });
    expect(await stateOf(payment)).toBe('awaiting_funds 0/6');
    send(payment);
    await mine(5);
    expect(await stateOf(payment)).toBe('confirming 5/6');
    await mine(1);
    expect(await stateOf(payment)).toBe('paid');
  });

  it.each([
    [10n, null],
    [11n, 'wrong_asset'],
  ])('measures dust in the chain’s units: %i units of an asset without a price', async (amount, exception) => {
    const payment = await open();
    ledger.send(askedOf(payment).address, sandboxAssets.EURC, amount);
    await mine(3);
    expect(await lab.read(payment.id)).toMatchObject({ phase: 'awaiting_funds', exception });
  });

  it('offers no wallet for which it would build a transaction', async () => {
    const payment = await open();
    const body = { chain: 'blocks', address: 'blk1payer', asset: 'USDC' };
    const { status, body: refusal } = await lab.act(payment.id, 'wallet_transactions', body);
    expect([status, refusal.error.param]).toEqual([400, 'chain']);
  });
});
