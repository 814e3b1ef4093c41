import type { ApprovalKind } from '../../api/balance/approval.ts';
import { PayError } from '../../core/error.ts';
import { convertUp, type Rate } from '../../core/rate.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Caller } from '../platform/http/access/caller.ts';
import type { Merchant } from '../platform/merchant.ts';
import { type Rates, UnknownPair } from '../rates/rates.ts';
import type { ApprovalRow } from './tables.ts';

/** The approval that a person decides about, and its object. */
export type Asked = Pick<ApprovalRow, 'id' | 'object_id'>;

/** The steps of a module for an object of a kind after people have decided. */
export interface ApprovalPurpose {
  readonly kind: ApprovalKind;
  /**
   * Reads the rates and other data of the approval, and returns the function that sends the money in the transaction of
   * the approval. That function also calls `approve` of `approval.service.ts`, after it has locked the object.
   */
  readonly prepare: (caller: Caller, asked: Asked) => Promise<(tx: Tx, caller: Caller) => Promise<unknown>>;
  /** Makes the money available again. */
  readonly cancel: (tx: Tx, caller: Caller, asked: Asked) => Promise<unknown>;
  /** Starts the work that the decision makes due, after the commit. */
  readonly wake?: (merchantId: string) => void;
}

/** Money that leaves. `currency`: an ISO 4217 code, or an asset's wire text. */
export interface Leaving {
  readonly amount: bigint;
  readonly currency: string;
}

/** Worth in the currency of the account's limit. `amount` is null if no rate is known. */
export interface Worth {
  readonly amount: bigint | null;
  readonly currency: string;
}

/** Values money in the currency of the account's limit. */
export type Valuer = (money: readonly Leaving[]) => Worth;

/**
 * Reads the rates from these currencies and assets to the currency of the account's limit. Returns null without a
 * limit. Throws `rate_unavailable`, except for an asset that the market does not know: its worth is then unknown.
 */
export async function createValuer(
  { rates }: { readonly rates: Rates },
  { payoutApprovalAmount: most, payoutApprovalCurrency: to }: Merchant,
  currencies: readonly string[],
): Promise<Valuer | null> {
  if (most === null || to === null) return null;
  const found = await readRates(rates, currencies, to);
  return money => {
    let amount = 0n;
    for (const { amount: part, currency } of money) {
      const rate = found.get(currency);
      if (currency !== to && rate == null) return { amount: null, currency: to };
      amount += currency === to || rate == null ? part : convertUp(part, rate);
    }
    return { amount, currency: to };
  };
}

/** Values money in a currency of the caller's choice. Throws `rate_unavailable`. */
export async function worthIn(rates: Rates, money: readonly Leaving[], to: string): Promise<bigint> {
  let worth = 0n;
  for (const { amount, currency } of money) {
    worth += currency === to ? amount : convertUp(amount, (await rates.find(currency, to)).rate);
  }
  return worth;
}

async function readRates(rates: Rates, currencies: readonly string[], to: string) {
  const found = new Map<string, Rate | null>();
  for (const currency of new Set(currencies)) {
    if (currency !== to) found.set(currency, await rateOf(rates, currency, to));
  }
  return found;
}

async function rateOf(rates: Rates, from: string, to: string): Promise<Rate | null> {
  try {
    return (await rates.find(from, to)).rate;
  } catch (error) {
    if (error instanceof UnknownPair || (error instanceof PayError && error.code === 'asset_not_listed')) return null;
    throw error;
  }
}

/** The failure of an object that a person canceled instead of approving it. */
export const canceledFailure = {
  failure_code: 'canceled',
  failure_message: 'A person canceled it instead of approving it.',
} as const;

export function notWaiting(): PayError {
  return new PayError(
    'illegal_state',
    'Nothing waits for this approval. It was approved or canceled, or a later change replaced it.',
  );
}
