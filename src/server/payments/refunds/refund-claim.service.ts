import { PayError } from '../../../core/error.ts';
import { findOutbound } from '../../outbound/outbound.store.ts';
import { merchantNow } from '../../platform/merchant.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { directRefund, refundPurpose } from './refund.service.ts';
import { findRefund, type RefundPartRow, type RefundRow } from './refund.store.ts';

/** Which refund a payer speaks of. */
export interface RefundKey {
  readonly merchantId: string;
  readonly refundId: string;
}

/** A sum of an asset (wire text), in its smallest unit. */
export interface ClaimedSum {
  readonly asset: string;
  readonly amount: bigint;
}

/** A refund on a chain as its payer may see it. */
export interface RefundClaim {
  readonly merchantId: string;
  readonly state: 'waiting' | 'sending' | 'sent' | 'failed';
  readonly sums: readonly ClaimedSum[];
  /** Why the last address could not take it, in the words of the API; null where none was known. */
  readonly reason: string | null;
  /** Where it goes, when somebody said so. */
  readonly address: string | null;
  /** The transactions that sent it. */
  readonly transactions: readonly string[];
  readonly livemode: boolean;
}

/** The refund of a claim page; null when there is none, or when it does not go by a chain. */
export async function findClaim(deps: Pick<PaymentDeps, 'db' | 'crypto'>, key: RefundKey): Promise<RefundClaim | null> {
  const found = await findRefund(deps.db, key.merchantId, key.refundId);
  if (found === null) return null;
  const { refund, parts } = found;
  const onChain = parts.filter(part => isOnChain(deps, part));
  if (onChain.length === 0) return null;
  const ids = onChain.map(({ id }) => id);
  const sent = await findOutbound(deps.db, key.merchantId, refundPurpose, ids);
  return {
    merchantId: key.merchantId,
    state: stateOf(refund),
    sums: sumsOf(onChain),
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
  return refund.requires_destination ? 'waiting' : 'sending';
}

function sumsOf(parts: readonly RefundPartRow[]): ClaimedSum[] {
  const sums = new Map<string, bigint>();
  for (const part of parts) sums.set(part.rail_currency, (sums.get(part.rail_currency) ?? 0n) + part.rail_amount);
  return [...sums].map(([asset, amount]) => ({ asset, amount }));
}

/**
 * Takes a payer’s word for where a refund is to go, once the account there is known to be able to take it, and has it
 * sent. Throws PayError with what is wrong: `invalid_address` with the account’s fault as param where it cannot take the
 * money, `unavailable` when the network cannot be asked, `illegal_state` when the refund does not wait.
 */
export async function claimRefund(
  deps: PaymentDeps,
  key: RefundKey,
  destination: Readonly<Record<string, string>> & { readonly address: string },
): Promise<void> {
  const found = await findRefund(deps.db, key.merchantId, key.refundId);
  if (found?.refund.requires_destination !== true) throw notWaiting();
  const { refund, parts } = found;
  const waiting = parts.filter(part => part.state === 'pending' && isOnChain(deps, part));
  await assertCanTake(deps, refund, waiting, destination);
  const merchant = await deps.findMerchant(key.merchantId);
  const now = merchantNow(merchant, refund.livemode, deps.clock.now());
  await deps.db.transaction().execute(tx => directRefund(tx, deps, key, destination, now));
  deps.outbound.wake();
}

async function assertCanTake(
  { crypto }: Pick<PaymentDeps, 'crypto'>,
  refund: RefundRow,
  parts: readonly RefundPartRow[],
  destination: Readonly<Record<string, string>> & { readonly address: string },
): Promise<void> {
  for (const part of parts) {
    const rail = crypto.find(({ chain, livemode }) => chain.id === part.rail && livemode === refund.livemode);
    if (rail === undefined) throw notWaiting();
    if (!rail.chain.isAddress(destination.address)) {
      throw new PayError('invalid_address', `This is no address on ${rail.chain.name}.`, { param: 'address' });
    }
    const money = { destination, asset: part.rail_currency, amount: part.rail_amount };
    const objection = await rail.payees?.objection(money);
    if (objection != null) throw new PayError('invalid_address', objection.message, { param: objection.code });
  }
}

function notWaiting(): PayError {
  return new PayError('illegal_state', 'This refund does not wait for an address.');
}
