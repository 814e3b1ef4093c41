import type { OutboundRow } from '../../outbound/outbound.ts';
import type { TransactionMemo } from '../network.ts';
import { parsePaymentAddress } from '../transaction/muxed-address.ts';
import type { BalanceClaimant, StellarOperation } from '../transaction/operation.ts';

/** How money reaches its owner: as a payment, or as a claimable balance (CAP-23) for an account that cannot hold it yet. */
export type Delivery = 'payment' | 'claimable_balance';

/** An outbound transfer as the treasury sends it. Amounts in stroops. */
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

/** Reads an outbound transfer. Throws if it names no address: nothing queues such a transfer. */
export function sendableOf(row: OutboundRow): Sendable {
  const { address, delivery } = row.destination ?? {};
  if (address === undefined) throw new TypeError(`outbound transfer ${row.id} has no address`);
  return {
    id: row.id,
    delivery: delivery === 'claimable_balance' ? delivery : 'payment',
    destination: address,
    memo: memoIn(row.destination ?? {}),
    asset: row.asset,
    amount: row.amount,
    sourceAsset: row.source_asset,
    sendMax: row.source_max,
    path: row.path,
  };
}

/** The memo of a destination. Text is the type where none is named. */
export function memoIn({ memo, memo_type: type }: Readonly<Record<string, string>>): TransactionMemo | null {
  if (memo === undefined || memo === '') return null;
  return { type: type === 'id' || type === 'hash' || type === 'return' ? type : 'text', value: memo };
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

/** The most that may leave the treasury by one transaction, by asset (stroops); null: any amount. */
export type TransactionCap = (asset: string) => bigint | null;

/** The most that the transfer may take out of the treasury, by asset. */
export function outflowsOf(
  transfer: Pick<Sendable, 'delivery' | 'asset' | 'amount' | 'sourceAsset' | 'sendMax'>,
): ReadonlyMap<string, bigint> {
  const converted = operationCount(transfer) === 2 ? [[transfer.asset, transfer.amount] as const] : [];
  return new Map([[transfer.sourceAsset, transfer.sendMax], ...converted]);
}

interface OpenBatch<T extends Sendable> extends Batch<T> {
  readonly transfers: T[];
  readonly out: Map<string, bigint>;
  operations: number;
}

/**
 * Puts transfers, in their order, into as few transactions as may be: a transaction has one memo, at most a hundred
 * operations, and lets no more of an asset leave than its cap. No transfer is split; one that is over a cap by itself
 * goes alone.
 */
export function planBatches<T extends Sendable>(transfers: readonly T[], capOf: TransactionCap): Batch<T>[] {
  const batches: OpenBatch<T>[] = [];
  const open = new Map<string, OpenBatch<T>>();
  for (const transfer of transfers) {
    const { memo } = transfer;
    const key = memo === null ? '' : `${memo.type}:${memo.value}`;
    let batch = open.get(key);
    if (batch === undefined || !hasRoom(batch, transfer, capOf)) {
      batch = { memo, transfers: [], out: new Map(), operations: 0 };
      batches.push(batch);
      open.set(key, batch);
    }
    batch.transfers.push(transfer);
    batch.operations += operationCount(transfer);
    for (const [asset, amount] of outflowsOf(transfer)) batch.out.set(asset, (batch.out.get(asset) ?? 0n) + amount);
  }
  return batches.map(({ memo, transfers: chosen }) => ({ memo, transfers: chosen }));
}

function hasRoom(batch: OpenBatch<Sendable>, transfer: Sendable, capOf: TransactionCap): boolean {
  if (batch.operations + operationCount(transfer) > mostOperations) return false;
  return [...outflowsOf(transfer)].every(
    ([asset, amount]) => !isOver(capOf, asset, (batch.out.get(asset) ?? 0n) + amount),
  );
}

/** Whether the transfer alone is more than may leave by one transaction. */
export function isOverCap(transfer: Sendable, capOf: TransactionCap): boolean {
  return [...outflowsOf(transfer)].some(([asset, amount]) => isOver(capOf, asset, amount));
}

function isOver(capOf: TransactionCap, asset: string, amount: bigint): boolean {
  const cap = capOf(asset);
  return cap !== null && amount > cap;
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
