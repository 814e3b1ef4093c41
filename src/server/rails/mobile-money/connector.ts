import { createHash } from 'node:crypto';
import { addSeconds } from '../../../core/clock.ts';
import { leastOfOperator, mostOfOperator } from '../../../core/mobile-money/markets.ts';
import { inTurns, type SendOrder, type SendOutcome } from '../../outbound/sender.ts';
import type { PayoutRail } from '../rail.ts';

/** Identifies an order of a connector: the outbound transfer, or the attempt of a payment. */
export interface OrderKey {
  readonly merchantId: string;
  readonly orderId: string;
}

/** URLs for the callbacks of a provider. Each order and purpose has one URL, which only the provider learns. */
export interface CallbackAddresses {
  urlOf(rail: string, purpose: string, order: OrderKey): string;
  /** The order of a URL's last part (`token`). Null for a forged token. Compares in constant time. */
  open(rail: string, purpose: string, token: string): OrderKey | null;
}

/** A payout rail that calls a provider over HTTP and receives its callbacks. */
export interface MobileMoneyConnector extends PayoutRail {
  /** Why calls to the provider fail, for the operator. Null while calls succeed. */
  problem(): string | null;
  /** Receives a callback at a secret URL. Returns the order to query, or null for an unknown URL. */
  receive(token: string, body: string): Promise<OrderKey | null>;
}

/** The parts that differ between connectors. */
interface ConnectorParts extends Pick<MobileMoneyConnector, 'id' | 'problem' | 'receive' | 'status' | 'step'> {
  /** The only currency that the account pays. */
  readonly currency: string;
  pay(order: SendOrder, number: string): Promise<SendOutcome>;
}

/** Seconds until the money arrives. A wallet is credited within seconds of the transfer. */
const etaSeconds = 60;

/** Creates a live-mode rail from its parts. Orders that the rail cannot execute fail without a request. */
export function createConnector({ pay, currency, ...parts }: ConnectorParts): MobileMoneyConnector {
  const currencyFor: PayoutRail['currencyFor'] = ({ type, provider }) =>
    type === 'mobile_money' && provider === parts.id ? currency : null;
  const sendOne = async (order: SendOrder): Promise<SendOutcome> => {
    const destination = order.destination ?? {};
    if (currencyFor(destination, currency) === null) return failure('provider_error', 'it pays its own wallets only');
    const number = /^\+?([1-9]\d{6,14})$/.exec(destination['number']?.replace(/[\s().-]/g, '') ?? '')?.[1];
    if (number === undefined) return failure('recipient_not_found', 'no phone number');
    if (order.currency === currency && order.amount > 0n) return await pay(order, number);
    return failure('provider_error', `it takes a positive amount of ${currency}`);
  };
  return {
    ...parts,
    lane: `payout:${parts.id}`,
    livemode: true,
    type: 'mobile_money',
    currencyFor,
    etaOf: now => addSeconds(now, etaSeconds),
    leastOf: paid => leastOfOperator(parts.id, paid),
    mostOf: paid => mostOfOperator(parts.id, paid),
    send: orders => inTurns(orders, sendOne),
    // The APIs of MTN and M-Pesa list no returned money. The operator finds it in the provider's statement.
    findReturns: async cursor => ({ returns: [], cursor }),
  };
}

/** A note for the recipient. */
export function noteOf({ text }: SendOrder): string {
  return plainText(text ?? '', mostNoteCharacters) || 'Payout';
}

/** Letters, digits and blanks of a text. MTN and M-Pesa refuse some other signs. */
export function plainText(text: string, mostCharacters: number): string {
  const plain = text.normalize('NFKD').replace(/[^A-Za-z0-9 ]/g, '');
  return plain.trim().slice(0, mostCharacters);
}

/** M-Pesa's limit for remarks. */
const mostNoteCharacters = 100;

const messages = {
  recipient_not_found: 'The operator has no account for this number',
  recipient_not_allowed: 'The account of this number cannot receive the money',
  account_limit_reached: 'The transfer exceeds a limit of the operator',
  insufficient_funds: 'The paying account at the operator does not hold enough money',
  expired: 'The operator did not carry out the transfer in time',
  provider_error: 'The operator did not carry out the transfer',
} as const;

export type MobileMoneyFailure = keyof typeof messages;

/** A failed transfer. `detail` is the provider's own code or text. */
export function failure(code: MobileMoneyFailure, detail: string) {
  return { state: 'failed', code, message: `${messages[code]} (${detail.slice(0, 120)}).` } as const;
}

/**
 * The order's UUID at a provider, by which the provider recognizes a repeated order. It is derived by SHA-256. RFC 9562
 * calls such a UUID version 8, but it is marked as version 4, because MTN accepts only version 4.
 */
export function orderUuid(orderId: string): string {
  const bytes = createHash('sha256').update(`mobile money order ${orderId}`).digest();
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
