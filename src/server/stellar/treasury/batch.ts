import { parseMemo } from '../../../core/stellar/memo.ts';
import type { OutboundRow } from '../../outbound/outbound.ts';
import type { TransactionMemo } from '../network.ts';
import type { StellarSigner } from '../signing/signer.ts';
import { parsePaymentAddress } from '../transaction/muxed-address.ts';
import type { BalanceClaimant, StellarOperation } from '../transaction/operation.ts';

/** A payment, or a claimable balance (CAP-23) for an account that cannot hold the asset yet. */
export type Delivery = 'payment' | 'claimable_balance';

/** An outbound transfer in the form that the treasury sends. Amounts are stroops. */
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
  /** Whether the treasury pays itself, to exchange an asset. Default: false. */
  readonly isConversion?: boolean;
}

/** Reads an outbound transfer. Throws TypeError without an address, which every module sets. */
export function sendableOf(row: OutboundRow): Sendable {
  const { address } = row.destination ?? {};
  if (address === undefined) throw new TypeError(`outbound transfer ${row.id} has no address`);
  return {
    id: row.id,
    delivery: deliveryIn(row.destination),
    destination: address,
    memo: memoIn(row.destination ?? {}),
    asset: row.asset,
    amount: row.amount,
    sourceAsset: row.source_asset,
    sendMax: row.source_max,
    path: row.path,
    isConversion: row.destination?.['conversion'] === 'own',
  };
}

/** The memo of a destination in canonical form, however it was stored. Throws `parameter_invalid` for an invalid memo. */
function memoIn(destination: Readonly<Record<string, string>>): TransactionMemo | null {
  const { memo, memo_type } = destination;
  const read = hasMemo(destination) ? parseMemo({ memo, memo_type }) : null;
  return read === null ? null : { type: read.memo_type, value: read.memo };
}

/** How a planned destination is paid. */
export function deliveryIn(destination: OutboundRow['destination']): Delivery {
  return destination?.['delivery'] === 'claimable_balance' ? 'claimable_balance' : 'payment';
}

/** Whether a destination has a memo, valid or not. */
export function hasMemo({ memo = '' }: Readonly<Record<string, string>>): boolean {
  return memo !== '';
}

export interface Batch<T extends Sendable> {
  readonly memo: TransactionMemo | null;
  readonly transfers: readonly T[];
}

/** The reserve of a claimable balance in stroops: a base reserve for each of its two claimants. */
export const claimableReserve = 10_000_000n;

/** Maximum number of operations in a transaction (protocol limit). */
export const mostOperations = 100;

/** The number of operations that send the transfer. */
export function operationCount(transfer: Pick<Sendable, 'delivery' | 'asset' | 'sourceAsset'>): number {
  return transfer.delivery === 'claimable_balance' && transfer.asset !== transfer.sourceAsset ? 2 : 1;
}

/** The largest amounts (stroops) that the transfer takes out of the treasury, by asset. */
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
 * Groups transfers with the same memo into transactions, in their order. A transaction has at most a hundred
 * operations, and a cap for each asset. A transfer that exceeds a cap by itself starts a new transaction.
 */
export function planBatches<T extends Sendable>(
  transfers: readonly T[],
  capOf: StellarSigner['transactionCap'],
): Batch<T>[] {
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

function hasRoom(batch: OpenBatch<Sendable>, transfer: Sendable, capOf: StellarSigner['transactionCap']): boolean {
  if (batch.operations + operationCount(transfer) > mostOperations) return false;
  return !exceedsCap(transfer, capOf, batch.out);
}

/** Whether this transfer would exceed a cap in a batch. `out`: amounts of the batch so far, by asset. */
export function exceedsCap(
  transfer: Sendable,
  capOf: StellarSigner['transactionCap'],
  out: ReadonlyMap<string, bigint> = new Map(),
) {
  return [...outflowsOf(transfer)].some(([asset, amount]) => {
    const cap = capOf(asset);
    return cap !== null && amount + (out.get(asset) ?? 0n) > cap;
  });
}

/** The most that the treasury gives for the transfer, by asset. A claimable balance also takes XLM for its reserve. */
export function needsOf({ sourceAsset, sendMax, delivery }: Sendable): ReadonlyMap<string, bigint> {
  const needs = new Map([[sourceAsset, sendMax]]);
  if (delivery === 'claimable_balance') needs.set('XLM', (needs.get('XLM') ?? 0n) + claimableReserve);
  return needs;
}

/** Seconds after which the treasury may take back an unclaimed balance: one year. */
const claimSeconds = 365n * 86_400n;

/** The operations that send the transfer from the treasury. */
export function operationsOf(transfer: Sendable, treasury: string): StellarOperation[] {
  const { asset, amount, sourceAsset, destination } = transfer;
  if (transfer.delivery === 'payment') return [pay(transfer, destination, treasury)];
  const claimants = claimantsOf(accountOf(destination), treasury);
  const create: StellarOperation = { type: 'createClaimableBalance', source: treasury, asset, amount, claimants };
  return asset === sourceAsset ? [create] : [pay(transfer, treasury, treasury), create];
}

function pay(
  { sourceAsset: sendAsset, sendMax, asset: destinationAsset, amount: destinationAmount, path }: Sendable,
  destination: string,
  source: string,
): StellarOperation {
  const delivery = { destination, destinationAsset, destinationAmount };
  return { type: 'pathPaymentStrictReceive', source, sendAsset, sendMax, ...delivery, path };
}

/** The account (G…) of an address, muxed or not. */
export function accountOf(address: string): string {
  return parsePaymentAddress(address)?.account ?? address;
}

function claimantsOf(owner: string, treasury: string): BalanceClaimant[] {
  return [
    { destination: owner, predicate: { type: 'unconditional' } },
    {
      destination: treasury,
      predicate: { type: 'not', predicate: { type: 'beforeRelativeTime', seconds: claimSeconds } },
    },
  ];
}
