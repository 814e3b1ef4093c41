import { PayError } from '../../../core/error.ts';
import { sumOf } from '../../../core/money.ts';
import { findOutbound } from '../../outbound/outbound.store.ts';
import { merchantNow } from '../../platform/merchant.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import type { RefundPartRow, RefundRow } from '../tables.ts';
import { refundPurpose, sendRefundTo } from './refund.service.ts';
import { findRefund } from './refund.store.ts';

export interface RefundKey {
  readonly merchantId: string;
  readonly refundId: string;
}

/** A refund on a chain in its payer's view. Amounts are in the asset's smallest unit. */
export interface RefundClaim {
  readonly state: 'waiting' | 'sending' | 'sent' | 'failed';
  readonly sums: readonly { readonly asset: string; readonly amount: bigint }[];
  /** Why the last address could not receive the refund (an API error code), or null. */
  readonly reason: string | null;
  /** The destination, or null if none was entered. */
  readonly address: string | null;
  /** Hashes of the refund's transactions. */
  readonly transactions: readonly string[];
  readonly livemode: boolean;
}

/** The refund of a claim page. Null for an unknown refund, or for a refund that has no part on a chain. */
export async function findClaim(deps: Pick<PaymentDeps, 'db' | 'crypto'>, key: RefundKey): Promise<RefundClaim | null> {
  const found = await findRefund(deps.db, key.merchantId, key.refundId);
  if (found === null) return null;
  const { refund, parts } = found;
  const onChain = parts.filter(part => isOnChain(deps, part));
  if (onChain.length === 0) return null;
  const ids = onChain.map(({ id }) => id);
  const sent = await findOutbound(deps.db, key.merchantId, refundPurpose, ids);
  const byAsset = Map.groupBy(onChain, part => part.rail_currency);
  return {
    state: stateOf(refund),
    sums: [...byAsset].map(([asset, same]) => ({ asset, amount: sumOf(same.map(part => part.rail_amount)) })),
    reason: refund.failure_code,
    address: refund.destination?.['address'] ?? null,
    transactions: sent.flatMap(({ reference }) => reference ?? []),
    livemode: refund.livemode,
  };
}

function isOnChain({ crypto }: Pick<PaymentDeps, 'crypto'>, part: RefundPartRow): boolean {
  return crypto.some(({ chain }) => chain.id === part.rail);
}

function stateOf(refund: RefundRow): RefundClaim['state'] {
  if (refund.status === 'completed') return 'sent';
  if (refund.status === 'failed') return 'failed';
  return refund.requires_destination && refund.status === 'pending' ? 'waiting' : 'sending';
}

/**
 * Sends a refund to the payer's destination if that account can receive the refund. Throws the errors of
 * `readDestination`, and `invalid_address` with the account's problem as param. Throws `unavailable` if the network
 * does not respond, and `illegal_state` if the refund needs no destination.
 */
export async function claimRefund(deps: PaymentDeps, key: RefundKey, destination: Destination): Promise<void> {
  const found = await findRefund(deps.db, key.merchantId, key.refundId);
  if (found?.refund.requires_destination !== true || found.refund.status !== 'pending') throw notWaiting();
  const { refund, parts } = found;
  const waiting = parts.filter(part => part.state === 'pending' && isOnChain(deps, part));
  await assertCanTake(deps, refund, waiting, destination);
  const merchant = await deps.findMerchant(key.merchantId);
  const now = merchantNow(merchant, refund.livemode, deps.clock.now());
  await deps.db.transaction().execute(tx => sendRefundTo(tx, deps, key, destination, now));
  deps.outbound.wake();
}

async function assertCanTake(
  { crypto }: Pick<PaymentDeps, 'crypto'>,
  refund: RefundRow,
  parts: readonly RefundPartRow[],
  destination: Destination,
): Promise<void> {
  for (const part of parts) {
    const rail = crypto.find(({ chain, livemode }) => chain.id === part.rail && livemode === refund.livemode);
    if (rail === undefined) throw notWaiting();
    if (!rail.chain.isAddress(destination.address)) {
      throw new PayError('invalid_address', `This is not an address on ${rail.chain.name}.`, { param: 'address' });
    }
    const money = { destination, asset: part.rail_currency, amount: part.rail_amount };
    const objection = await rail.payees?.objection(money);
    if (objection != null) throw new PayError('invalid_address', objection.message, { param: objection.code });
  }
}

type Destination = Readonly<Record<string, string>> & { readonly address: string };

function notWaiting(): PayError {
  return new PayError('illegal_state', 'This refund does not wait for an address.');
}
