import { parsePaymentAddress } from '../stellar/muxed-address.ts';
import type { TransactionMemo } from '../stellar/network.ts';
import type { BalanceClaimant, StellarOperation } from '../stellar/operation.ts';
import type { Delivery } from './outgoing.ts';

/** What of a transfer decides how it is sent. Amounts in stroops. */
export interface Sendable {
  readonly id: string;
  readonly delivery: Delivery;
  readonly destination: string;
  readonly memo: TransactionMemo | null;
  readonly asset: string;
  readonly amount: bigint;
  readonly sourceAsset: string;
  readonly sendMax: bigint;
  readonly path: readonly string[];
}

/** Transfers that go together in one transaction. */
export interface Batch<T extends Sendable> {
  readonly memo: TransactionMemo | null;
  readonly transfers: readonly T[];
}

/** The most operations a transaction may have (protocol limit). */
export const mostOperations = 100;

/** How many operations the transfer takes. */
export function operationCount(transfer: Pick<Sendable, 'delivery' | 'asset' | 'sourceAsset'>): number {
  return transfer.delivery === 'claimable_balance' && transfer.asset !== transfer.sourceAsset ? 2 : 1;
}

/**
 * Puts transfers, in their order, into as few transactions as the protocol allows: a transaction has one memo and at
 * most a hundred operations. No transfer is split.
 */
export function planBatches<T extends Sendable>(transfers: readonly T[], limit = mostOperations): Batch<T>[] {
  const batches: { memo: TransactionMemo | null; transfers: T[]; room: number }[] = [];
  const open = new Map<string, (typeof batches)[number]>();
  for (const transfer of transfers) {
    const { memo } = transfer;
    const key = memo === null ? '' : `${memo.type}:${memo.value}`;
    const size = operationCount(transfer);
    let batch = open.get(key);
    if (batch === undefined || batch.room < size) {
      batch = { memo, transfers: [], room: limit };
      batches.push(batch);
      open.set(key, batch);
    }
    batch.transfers.push(transfer);
    batch.room -= size;
  }
  return batches.map(({ memo, transfers: chosen }) => ({ memo, transfers: chosen }));
}

/** How long money that was put aside waits for its owner before the treasury may take it back, in seconds: a year. */
const claimSeconds = 365n * 86_400n;

/** The operations that send the transfer from the treasury. */
export function operationsOf(transfer: Sendable, treasury: string): StellarOperation[] {
  const { asset, amount, sourceAsset, sendMax, path } = transfer;
  if (transfer.delivery === 'payment') return [deliver(transfer, transfer.destination, treasury)];
  const aside: StellarOperation = {
    type: 'createClaimableBalance',
    source: treasury,
    asset,
    amount,
    claimants: claimants(accountOf(transfer.destination), treasury),
  };
  if (asset === sourceAsset) return [aside];
  return [deliver({ asset, amount, sourceAsset, sendMax, path }, treasury, treasury), aside];
}

function deliver(
  what: Pick<Sendable, 'asset' | 'amount' | 'sourceAsset' | 'sendMax' | 'path'>,
  destination: string,
  source: string,
): StellarOperation {
  return {
    type: 'pathPaymentStrictReceive',
    source,
    sendAsset: what.sourceAsset,
    sendMax: what.sendMax,
    destination,
    destinationAsset: what.asset,
    destinationAmount: what.amount,
    path: what.path,
  };
}

/** The account behind an address, muxed or not. */
export function accountOf(address: string): string {
  return parsePaymentAddress(address)?.account ?? address;
}

function claimants(owner: string, treasury: string): BalanceClaimant[] {
  return [
    { destination: owner, predicate: { type: 'unconditional' } },
    {
      destination: treasury,
      predicate: { type: 'not', predicate: { type: 'beforeRelativeTime', seconds: claimSeconds } },
    },
  ];
}
