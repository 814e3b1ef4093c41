import type { PaymentCard, PaymentMethod, ReceivedPart as WirePart } from '../../../api/payment.ts';
import { unitText } from '../../../core/unit.ts';

/** How a part of the money arrived. Money on a chain has no `rail`; other money has no `chain`. */
export interface Arrived {
  readonly rail: string | null;
  readonly chain: string | null;
  readonly txHash: string | null;
  readonly card: Pick<PaymentCard, 'brand' | 'last4'> | null;
  readonly at: Date;
}

/** One part of the received money, as stored with the payment. Amounts are text, because JSON has no bigint. */
export interface ReceivedPart {
  readonly method: PaymentMethod;
  readonly rail: string | null;
  readonly chain: string | null;
  /** The received currency or asset. */
  readonly currency: string;
  /** In the smallest unit of the received currency or asset. */
  readonly amount: string;
  /** In minor units of the payment's currency. */
  readonly credited: string;
  readonly card: Pick<PaymentCard, 'brand' | 'last4'> | null;
  readonly tx_hash: string | null;
  readonly at: string;
}

interface Money {
  readonly method: PaymentMethod;
  readonly amount: bigint;
  readonly currency: string;
  readonly value: bigint;
  readonly arrived: Arrived;
}

/** The part to store for received money. */
export function receivedPart({ method, amount, currency, value, arrived }: Money): ReceivedPart {
  const { rail, chain, txHash, card, at } = arrived;
  return {
    method,
    rail,
    chain,
    currency,
    amount: String(amount),
    credited: String(value),
    card: card && { brand: card.brand, last4: card.last4 },
    tx_hash: txHash,
    at: at.toISOString(),
  };
}

/** The parts that count. A receipt omits money in an asset that the payer was not asked for. */
export function countedParts(parts: readonly ReceivedPart[] | null): readonly ReceivedPart[] {
  return (parts ?? []).filter(({ credited }) => BigInt(credited) > 0n);
}

interface Paid {
  readonly received: readonly ReceivedPart[] | null;
  readonly mobile_money: { readonly number: string } | null;
}

/**
 * The last digits of the phone that paid the part, such as `•••456`. The payment keeps the wallet that paid last, so
 * parts of several phones show none.
 */
export function phoneOf({ method }: ReceivedPart, { received, mobile_money: wallet }: Paid): string | null {
  const isOnly = countedParts(received).filter(part => part.method === 'mobile_money').length === 1;
  return method === 'mobile_money' && isOnly && wallet !== null ? maskedNumber(wallet.number) : null;
}

/** The number with its last three digits only. */
export function maskedNumber(number: string): string {
  return `•••${number.slice(-3)}`;
}

/** The part in its wire form. */
export function receivedToWire({ currency, amount, credited, ...part }: ReceivedPart): WirePart {
  const { method, rail, chain, card, tx_hash, at } = part;
  return {
    method,
    rail,
    chain,
    asset: currency,
    amount: unitText(BigInt(amount), currency),
    credited: Number(credited),
    card,
    tx_hash,
    at,
  };
}
