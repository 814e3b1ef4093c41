import { unitText } from '../../core/unit.ts';
import { draftPayment } from '../payments/checkout/payment-create.service.ts';
import { cryptoAction } from '../payments/crypto/crypto-offer.ts';
import { choosePriced, quoteOnChain } from '../payments/crypto/payment-crypto.service.ts';
import { createPayments } from '../payments/payment-change.ts';
import { awaitFunds } from '../payments/payment-session.ts';
import type { PaymentRow } from '../payments/tables.ts';
import type { Tx } from '../platform/db/database.ts';
import { type Caller, merchantCaller } from '../platform/http/access/caller.ts';
import { treasuryRail } from '../stellar/treasury/treasury-deps.ts';
import { rampPurpose } from './ramp.ts';
import type { RampDeps } from './ramp-deps.ts';
import { payableOf } from './ramp-money.ts';
import type { RampRow } from './tables.ts';

/** The checked payment of a ramp, before its transaction. */
export interface RampPayment {
  /** Makes the address for the coins of a sale. `insert` inserts the payment, after the ramp was written with `set`. */
  open(
    tx: Tx,
  ): Promise<{ readonly set: Pick<RampRow, 'payment_id' | 'deposit'>; readonly insert: () => Promise<void> }>;
}

/**
 * Drafts the payment of a ramp, whose money stays in the balance for the ramp. Its price is the ramp's: the payment
 * itself converts nothing. A buyer pays by the ramp's method. A seller sends the coins at the ramp's price, to an address
 * that the payment shows from the beginning. Throws if no rail takes the method in this currency.
 */
export async function draftRampPayment(deps: RampDeps, caller: Caller, ramp: RampRow): Promise<RampPayment> {
  const payment = await draftOf(deps, caller, ramp);
  const { id } = payment;
  if (ramp.direction === 'on') {
    const set = { payment_id: id, deposit: null };
    return { open: async tx => ({ set, insert: () => createPayments(tx, deps, [payment]) }) };
  }
  const choice = await choosePriced(deps, payment, { chain: treasuryRail, asset: ramp.asset, amount: ramp.amount_out });
  return {
    open: async tx => {
      const priced = { ...payment, expires_at: ramp.price_expires_at };
      const { target, offers } = await quoteOnChain(tx, priced, choice, caller.now);
      const { chain } = choice.rail;
      const { merchant } = caller;
      const action = cryptoAction({ chain, target, offers, merchant, asset: ramp.asset, due: choice.due });
      const asked = { method: 'crypto' as const, merchant, nextAction: action, now: caller.now };
      const insert = async () => {
        await createPayments(tx, deps, [priced]);
        await awaitFunds(tx, deps, priced, asked);
      };
      return { set: { payment_id: id, deposit: depositOf(action) }, insert };
    },
  };
}

/** Where the coins go, as the payment's instructions say. Null without instructions for coins. */
export function depositOf(action: PaymentRow['next_action']): RampRow['deposit'] {
  if (action?.type !== 'crypto_transfer') return null;
  const { chain, asset, amount, address, base_address, memo, memo_type, uri } = action;
  return { chain, asset, amount, address, base_address, memo, memo_type, uri };
}

async function draftOf(deps: RampDeps, { merchant, livemode, now }: Caller, ramp: RampRow): Promise<PaymentRow> {
  const { rows } = await draftPayment(
    deps,
    // The service sets amount and settlement, so a page's ramp needs no right to set them.
    merchantCaller({ merchant, livemode, now }),
    {
      amount: Number(ramp.amount_in),
      currency: ramp.currency,
      settlement_asset: ramp.currency,
      settlement_network: 'stellar',
      settlement_mode: 'balance',
      description: rampText(ramp),
      payment_methods: [ramp.direction === 'on' ? ramp.method : 'crypto'],
      customer: { email: ramp.customer_email, ...(ramp.customer_name !== null && { name: ramp.customer_name }) },
      ...(ramp.client_reference !== null && { reference: ramp.client_reference }),
      ...(ramp.return_url !== null && { redirect_url: ramp.return_url }),
    },
    { type: rampPurpose, id: ramp.id },
  );
  return rows.row;
}

/** What the payer sees, in every language: `25.0000000 USDC → GA7QYN…JVSGZ`, or `25.0000000 USDC → 22.50 EUR`. */
function rampText(ramp: RampRow): string {
  const { amount_out: coins, asset, currency, wallet } = ramp;
  const target =
    wallet === null
      ? `${unitText(payableOf(ramp), currency)} ${currency}`
      : `${wallet.address.slice(0, 6)}…${wallet.address.slice(-5)}`;
  return `${unitText(coins, asset)} ${asset.split(':')[0]} → ${target}`;
}
