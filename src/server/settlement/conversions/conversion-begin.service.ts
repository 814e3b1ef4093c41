import { addSeconds } from '../../../core/clock.ts';
import { newId } from '../../../core/id.ts';
import { unitOf } from '../../../core/unit.ts';
import type { Convertible, FiatConversions, ReceivedOnChain } from '../../payments/settling/fiat-conversion.service.ts';
import type { Db } from '../../platform/db/database.ts';
import type { MerchantScope } from '../../platform/merchant.ts';
import { findConverted, insertConversions } from './conversion.store.ts';
import { type Leg, legsOf, stablecoinOf } from './conversion.ts';
import type { ConversionRow } from './tables.ts';

export interface ConversionBeginDeps {
  readonly db: Db;
  readonly payments: FiatConversions;
  /** The mode of the treasury. */
  readonly livemode: boolean;
  /** The wire text of an asset that the operator lists, or null. */
  readonly listedAsset: (name: string) => string | null;
  readonly wake: (sweep: string) => void;
}

/** Payments of one merchant and mode whose settlement in a currency is due. */
interface DuePayments<Payment extends { readonly paymentId: string; readonly merchantId: string }>
  extends MerchantScope {
  readonly currency: string;
  readonly payments: readonly Payment[];
  readonly now: Date;
}

/** The sweep that plans conversions. */
export const convertSweep = 'settlements.convert';

/** The longest wait of a payout for the first outcome of a conversion. Most take one ledger. */
const longestWaitSeconds = 60;

export type ConversionBegin = ReturnType<typeof createConversionBegin>;

/**
 * Creates the function that starts the conversions of due payments. Returns the payments whose settlement can begin.
 * The others wait for the first outcome of their conversion, at most a minute.
 */
export function createConversionBegin(deps: ConversionBeginDeps) {
  return async <Payment extends { readonly paymentId: string; readonly merchantId: string }>(
    group: DuePayments<Payment>,
  ): Promise<readonly Payment[]> => {
    const code = group.livemode === deps.livemode ? stablecoinOf(group.currency) : null;
    const stablecoin = code === null ? null : deps.listedAsset(code);
    if (stablecoin === null) return group.payments;
    const received = await deps.payments.received(group.payments);
    if (received.every(({ asset }) => asset === stablecoin)) return group.payments;
    const waiting = await begin(deps, group, stablecoin, received);
    if (waiting.size > 0) deps.wake(convertSweep);
    return group.payments.filter(({ paymentId }) => !waiting.has(paymentId));
  };
}

/** Stores the conversions of these payments. Returns the ids of payments that wait. */
async function begin(
  { db, payments }: ConversionBeginDeps,
  { merchantId, currency, now }: Pick<DuePayments<never>, 'merchantId' | 'currency' | 'now'>,
  stablecoin: string,
  received: readonly ReceivedOnChain[],
): Promise<ReadonlySet<string>> {
  const byPayment = Map.groupBy(received, ({ paymentId }) => paymentId);
  const keys = [...byPayment.keys()].map(paymentId => ({ merchantId, paymentId }));
  return await db.transaction().execute(async tx => {
    const locked = await payments.lock(tx, keys, now);
    const converted = await findConverted(tx, merchantId, [...byPayment.keys()]);
    const rows = locked
      .filter(({ isWaiting }) => !isWaiting)
      .flatMap(payment => {
        const { paymentId } = payment;
        const legs = legsOf(payment, byPayment.get(paymentId) ?? [], converted.get(paymentId) ?? [], stablecoin);
        return legs.map(leg => newConversion(payment, leg, { currency, stablecoin, now }));
      });
    const begun = new Set(rows.map(({ payment_id: id }) => id));
    if (rows.length > 0) {
      await insertConversions(tx, rows);
      const started = locked.filter(({ paymentId }) => begun.has(paymentId));
      await payments.wait(tx, started, addSeconds(now, longestWaitSeconds));
    }
    const waiting = locked.filter(({ isWaiting }) => isWaiting).map(({ paymentId }) => paymentId);
    return new Set([...begun, ...waiting]);
  });
}

interface Conversion {
  readonly currency: string;
  readonly stablecoin: string;
  readonly now: Date;
}

function newConversion(payment: Convertible, leg: Leg, { currency, stablecoin, now }: Conversion): ConversionRow {
  return {
    merchant_id: payment.merchantId,
    id: newId('settlementConversion'),
    livemode: payment.livemode,
    payment_id: payment.paymentId,
    number: leg.number,
    status: 'waiting',
    source_asset: leg.asset,
    asset: stablecoin,
    currency: payment.currency,
    value: leg.value,
    amount: leg.amount * 10n ** BigInt(unitOf(stablecoin).decimals - unitOf(currency).decimals),
    sent_amount: null,
    tries: 0,
    failure_code: null,
    failure_message: null,
    tx_hash: null,
    ledger: null,
    due_at: now,
    version: 0,
    created_at: now,
    ended_at: null,
  };
}
