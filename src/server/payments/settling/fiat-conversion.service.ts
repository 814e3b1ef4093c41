import type { Tx } from '../../platform/db/database.ts';
import { keyOf, lockPayments, type PaymentKey } from '../payment.store.ts';
import { type ChangedPayment, changePayments } from '../payment-change.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { byOwner, purposeOf } from '../payment-purpose.ts';
import type { PaymentRow } from '../tables.ts';
import { findReceivedOnChain, moveSettlementsDue, type ReceivedOnChain } from './fiat-conversion.store.ts';
import { portionOf } from './payment-settlement.service.ts';

export type { ReceivedOnChain } from './fiat-conversion.store.ts';

type SettlingDeps = Pick<PaymentDeps, 'db' | 'clock' | 'findMerchant' | 'secrets' | 'hosts' | 'purposes'>;

/** A locked payment whose settlement in a currency is due. */
export interface Convertible extends PaymentKey, Pick<PaymentRow, 'currency' | 'amount' | 'quote_amount'> {
  readonly livemode: boolean;
  /** The part that is settled now, in minor units of the payment's currency. */
  readonly room: bigint;
  /** Received money that waits for the merchant's decision. */
  readonly suspense: bigint;
  /** Whether it waits for a conversion already. */
  readonly isWaiting: boolean;
}

/** A payment whose crypto was converted in a transaction. */
export interface ConvertedPayment extends PaymentKey {
  readonly txHash: string;
  readonly ledger: number;
  readonly now: Date;
}

/** Functions for conversions of crypto whose payments are settled in a currency. */
export type FiatConversions = ReturnType<typeof createFiatConversions>;

/** Creates these functions, for the module `settlement`. They read what payments received on `chain`. */
export function createFiatConversions(deps: SettlingDeps, chain: string) {
  return {
    /** What payments received on the chain, by payment and asset. */
    received: (keys: readonly PaymentKey[]): Promise<readonly ReceivedOnChain[]> =>
      findReceivedOnChain(deps.db, keys, chain),
    /** Locks payments. Omits those without a due part. */
    lock: (tx: Tx, keys: readonly PaymentKey[], now: Date) => lockConvertible(tx, keys, now),
    /** Lets locked payments wait for their conversions, no longer than until this time. */
    wait: (tx: Tx, keys: readonly PaymentKey[], until: Date) => moveSettlementsDue(tx, keys, until),
    /** Ends the wait of payments, whatever became of their conversions. */
    release: (tx: Tx, keys: readonly PaymentKey[], now: Date) => release(deps, tx, keys, now),
    /** Names the transactions of completed conversions in their payments, and ends the wait. */
    converted: (tx: Tx, payments: readonly ConvertedPayment[]) => converted(deps, tx, payments),
  };
}

async function lockConvertible(tx: Tx, keys: readonly PaymentKey[], now: Date): Promise<readonly Convertible[]> {
  const rows = await lockPayments(tx, keys);
  return rows.flatMap(payment => {
    const { settlement_due_at: dueAt, livemode, currency, amount, quote_amount, amount_suspense: suspense } = payment;
    const portion = isDue(payment) ? portionOf(payment) : null;
    if (portion === null || dueAt === null) return [];
    const money = { currency, amount, quote_amount, room: portion.value, suspense };
    return [{ ...keyOf(payment), livemode, ...money, isWaiting: dueAt > now }];
  });
}

/** Whether a settlement in a currency is due or waits, and has not begun. */
function isDue(payment: PaymentRow): boolean {
  return payment.settlement_in_fiat && payment.settlement_due_at !== null && payment.amount_settling === 0n;
}

async function release(
  deps: Pick<SettlingDeps, 'purposes'>,
  tx: Tx,
  keys: readonly PaymentKey[],
  now: Date,
): Promise<void> {
  const waiting = (await lockConvertible(tx, keys, now)).filter(({ isWaiting }) => isWaiting);
  if (waiting.length === 0) return;
  await moveSettlementsDue(tx, waiting, now);
  await tellOwners(deps, tx, await lockPayments(tx, waiting), now);
}

async function tellOwners(
  deps: Pick<SettlingDeps, 'purposes'>,
  tx: Tx,
  payments: readonly PaymentRow[],
  now: Date,
): Promise<void> {
  for (const payment of payments.toSorted(byOwner)) await purposeOf(deps, payment)?.converted?.(tx, payment, now);
}

async function converted(deps: SettlingDeps, tx: Tx, ended: readonly ConvertedPayment[]): Promise<void> {
  const byPayment = new Map(ended.map(one => [one.paymentId, one]));
  const changes = (await lockPayments(tx, ended)).flatMap((payment): ChangedPayment[] => {
    const one = byPayment.get(payment.id);
    if (one === undefined) return [];
    const set = {
      settlement_tx_hash: one.txHash,
      settlement_ledger: one.ledger,
      settlement_due_at: isDue(payment) ? one.now : payment.settlement_due_at,
    };
    return [{ payment, change: { set, now: one.now } }];
  });
  await changePayments(tx, deps, changes);
  const [first] = ended;
  if (first !== undefined)
    await tellOwners(
      deps,
      tx,
      changes.map(({ payment }) => payment),
      first.now,
    );
}
