import type { ColumnType, Generated, Selectable } from 'kysely';
import { defineMachine } from '../../core/machine.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Moment, MomentByDefault, MomentOrNull } from '../platform/db/tables.ts';
import type { RefusedOutbound } from './outbound.store.ts';
import type { ClockedOutbound, OutboundEnd, OutboundFailure, OutboundRow } from './outbound.ts';
import type { Lane } from './sender.ts';

/** Something signed that carries orders, such as a transaction on a chain. */
export type Carrier = Selectable<CarriersTable>;

/** A carrier is signed and stored, then submitted once or several times. A block includes it, or it expires. */
export const carrierMachine = defineMachine<Carrier['state']>({
  built: ['submitted', 'applied', 'failed', 'expired'],
  submitted: ['applied', 'failed', 'expired'],
  applied: [],
  failed: [],
  expired: [],
});

/** What is submitted: its bytes, hash and fee. A higher fee changes all three. */
export type Signed = Pick<Carrier, 'signed' | 'hash' | 'fee'>;

/** A signed carrier that is not stored yet. */
export interface NewCarrier extends Signed, Pick<Carrier, 'id' | 'detail' | 'expires_block' | 'expires_at'> {
  /** Other hashes by which the network may know it. No two carriers share a hash. */
  readonly otherHashes: readonly string[];
  /** What no other carrier of the lane may use: a sequence number, a nonce, an unspent output. Expiry gives it back. */
  readonly claims: readonly { readonly kind: string; readonly key: string }[];
}

/** A signed carrier with its orders. */
export interface BuiltCarrier {
  readonly carrier: NewCarrier;
  readonly orders: readonly ClockedOutbound[];
  /** Takes what the carrier was built on, in the transaction that stores it. False if another server has taken it. */
  hold(tx: Tx): Promise<boolean>;
  /** Gives back what the carrier was built on, because it was not stored. `isTwin`: another server stored the same. */
  discard(isTwin: boolean): Promise<void>;
}

/** The carriers of some orders, the orders that cannot be sent now, and the errors of carriers that were not built. */
export interface Build {
  readonly carriers: readonly BuiltCarrier[];
  readonly refused: readonly RefusedOutbound[];
  readonly errors: readonly unknown[];
}

/** Whether an order can be sent now. `needs`: the most that it takes, by asset. */
export type Check =
  | { readonly state: 'ready'; readonly needs: ReadonlyMap<string, bigint> }
  | ({ readonly state: 'failed' } & OutboundFailure);

/**
 * The end of a carrier. `block` includes it. Of an expired carrier, `block` proves that no block can ever include it:
 * only then may its orders be sent again.
 */
export interface CarrierEnd {
  readonly state: Extract<Carrier['state'], 'applied' | 'failed' | 'expired'>;
  readonly code: string;
  readonly block: { readonly number: number; readonly closedAt: Date | null };
  readonly feeCharged: bigint | null;
  /** The outcomes of the carrier's orders, in their sequence. */
  endsOf(orders: readonly OutboundRow[], now: Date): readonly OutboundEnd[];
  /** Frees what the carrier held, in the transaction that ends it. */
  free(tx: Tx): Promise<void>;
  /** Called after the commit. */
  ended(): Promise<void>;
}

export type CarrierOutcome =
  | CarrierEnd
  /** The carrier waits in the network's queue. */
  | { readonly state: 'pending' }
  /** The network refused the carrier. That ends nothing: an earlier submission may have been accepted. */
  | { readonly state: 'refused'; readonly code: string; readonly parts: readonly string[] }
  /** No answer. Only the same carrier may be submitted again. */
  | { readonly state: 'unknown'; readonly reason: string; readonly retryAfterSeconds: number | null }
  /** The carrier was signed again with a higher fee. It is stored before it is submitted. */
  | { readonly state: 'replaced'; readonly by: Signed };

/**
 * Sends orders in carriers. The queue claims orders, stores each carrier before it submits it, follows it and ends its
 * orders. Methods throw `NetworkUnavailable` while the network does not answer.
 */
export interface CarrierSender extends Lane {
  /** Milliseconds between two looks for orders, and for a submitted carrier. */
  readonly pollMs: number;
  /** Number of carriers that can be built now. */
  room(): Promise<number>;
  /** Decides whether an order can be sent. An error that is not the network's holds the order alone. */
  check(order: ClockedOutbound): Promise<Check>;
  /** The amounts that carriers can spend, by asset. Amounts of open carriers are included. */
  funds(): Promise<ReadonlyMap<string, bigint>>;
  /** Signs carriers for orders that were checked. Orders that are not in the result wait. */
  build(orders: readonly ClockedOutbound[]): Promise<Build>;
  submit(carrier: Carrier): Promise<CarrierOutcome>;
  /** Looks for a submitted carrier by its hashes, the newest first. Null: it is still open, so it is submitted again. */
  status(carrier: Carrier, hashes: readonly string[]): Promise<CarrierOutcome | null>;
}

const firstPauseMs = 500;
const longestPauseMs = 10_000;

/** Milliseconds until the next attempt, after one without a result. `random` is at least 0 and below 1. */
export function pauseAfter(attempt: number, retryAfterSeconds: number | null, random: number): number {
  const grown = Math.min(firstPauseMs * 2 ** Math.min(attempt - 1, 10), longestPauseMs);
  const asked = retryAfterSeconds === null ? 0 : Math.min(retryAfterSeconds * 1000, 60_000);
  return Math.max(asked, Math.floor(grown * (0.75 + random / 2)));
}

interface CarriersTable {
  id: string;
  lane: string;
  detail: ColumnType<Readonly<Record<string, unknown>>, string, never>;
  signed: string;
  hash: string;
  fee: bigint;
  expires_block: bigint | null;
  expires_at: MomentOrNull;
  state: Generated<'built' | 'submitted' | 'applied' | 'failed' | 'expired'>;
  result_code: string | null;
  part_codes: Generated<string[]>;
  attempts: Generated<number>;
  due_at: Moment;
  ended_block: bigint | null;
  ended_block_at: MomentOrNull;
  fee_charged: bigint | null;
  created_at: MomentByDefault;
  ended_at: MomentOrNull;
}

declare module '../platform/db/tables.ts' {
  interface Tables {
    carriers: CarriersTable;
    carrier_claims: { lane: string; kind: string; key: string; carrier_id: string };
    carrier_hashes: { hash: string; carrier_id: string; fee: bigint; created_at: MomentByDefault };
    carrier_transfers: { merchant_id: string; carrier_id: string; position: number; transfer_id: string };
  }
}
