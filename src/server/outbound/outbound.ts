import type { ColumnType, Generated, Selectable } from 'kysely';
import { defineMachine } from '../../core/machine.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Moment, MomentByDefault, MomentOrNull } from '../platform/db/tables.ts';

export type OutboundRow = Selectable<OutboundTransfersTable>;

/**
 * `held`: the treasury lacks the money for the transfer, or its signer refused the transfer for now. `sending`: the
 * money may have left.
 */
export type OutboundState = OutboundRow['state'];

/** `sending` may return to `queued` only with proof that the money was never sent. The database checks this, too. */
export const outboundMachine = defineMachine<OutboundState>({
  queued: ['sending', 'held', 'failed'],
  held: ['queued', 'failed'],
  sending: ['completed', 'failed', 'queued'],
  completed: [],
  failed: [],
});

/** A transfer to send exactly once. Amounts are in the smallest unit of their asset or currency. */
export interface NewOutbound {
  readonly merchantId: string;
  readonly livemode: boolean;
  /** The name of the `OutboundPurpose` that books the outcome. */
  readonly purpose: string;
  /** The object that the transfer pays. The queue accepts each pair of resource and attempt once. */
  readonly resourceId: string;
  /** Counts from 1. */
  readonly attempt: number;
  /** The lane of the `Sender`. */
  readonly rail: string;
  /** The recipient, in the rail's fields. Null: the payer of `originalReference` gets the money back. */
  readonly destination: Readonly<Record<string, string>> | null;
  /** The rail's reference of the refunded charge or credit, or null. */
  readonly originalReference: string | null;
  readonly asset: string;
  readonly amount: bigint;
  /** The asset that the sender exchanges along `path`, at most `max` of it. Null if the asset itself is sent. */
  readonly source: { readonly asset: string; readonly max: bigint; readonly path: readonly string[] } | null;
  /** The amount that leaves the merchant's balance, in minor units of `valueCurrency`. */
  readonly value: bigint;
  readonly valueCurrency: string;
  /** Time on the merchant's clock. */
  readonly now: Date;
}

/** Why a transfer failed: an API error code, and a message. */
export interface OutboundFailure {
  readonly code: string;
  readonly message: string;
}

/** A transfer, and the current time on its merchant's clock. */
export type ClockedOutbound = OutboundRow & { readonly clock: Date };

/** The outcome of sending: completed, failed, or queued again because the money was certainly not sent. */
export type OutboundEnd =
  | {
      readonly state: 'completed';
      /** The transaction hash, or the rail's own reference. */
      readonly reference: string;
      readonly ledger?: number;
      /** The sent amount, in the source asset. Default: the whole amount. */
      readonly sentAmount?: bigint;
    }
  | ({ readonly state: 'failed' } & OutboundFailure)
  /** `dueAt`: null means now. */
  | { readonly state: 'queued'; readonly dueAt: Date | null };

/** A module that sends money. It queues transfers with its name, and books their outcome. */
export interface OutboundPurpose {
  readonly name: string;
  /**
   * Books completed and failed transfers of one merchant and mode, in the transaction that marks them as booked. After
   * an error, each transfer is booked alone, so that a faulty transfer does not block others. The error is logged, and
   * the faulty transfer is booked again later.
   */
  book(tx: Tx, ended: readonly ClockedOutbound[]): Promise<void>;
  /**
   * Reports transfers of one merchant and mode that are being sent, or that a rail has accepted. A server that crashes
   * before this call reports nothing, so `book` may come without `progress`.
   */
  progress?(steps: readonly OutboundProgress[]): Promise<void>;
  /** Books completed transfers of one merchant whose rail gave back the whole amount later. */
  takeBack?(tx: Tx, returned: readonly ReturnedOutbound[]): Promise<void>;
}

/** A completed transfer whose money came back, and the rail's reason. */
export interface ReturnedOutbound extends OutboundFailure {
  readonly row: ClockedOutbound;
}

/** A step of a transfer in progress. */
export interface OutboundProgress {
  readonly row: OutboundRow;
  /**
   * `sending`: the money may have left. `accepted`: the rail has accepted the transfer and decides later. `short`: the
   * transfer is held, because the treasury does not hold enough of its source asset.
   */
  readonly step: 'sending' | 'accepted' | 'short';
  /** The rail's reference of an accepted transfer. */
  readonly reference: string | null;
}

interface OutboundTransfersTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  purpose: string;
  resource_id: string;
  attempt: Generated<number>;
  rail: string;
  destination: ColumnType<Record<string, string> | null, string | null, string | null>;
  original_reference: string | null;
  asset: string;
  amount: bigint;
  source_asset: string;
  source_max: bigint;
  path: string[];
  value: bigint;
  value_currency: string;
  state: Generated<'queued' | 'held' | 'sending' | 'completed' | 'failed'>;
  due_at: MomentOrNull;
  tries: Generated<number>;
  /** Whether its rail has accepted it (`pending`). From then on it is only asked about, and never sent again. */
  accepted: Generated<boolean>;
  /** What carries it (a transaction on a chain), or carried it last. Null where a sender has no carriers. */
  carrier_id: string | null;
  reference: string | null;
  ledger: number | null;
  sent_amount: bigint | null;
  failure_code: string | null;
  failure_message: string | null;
  rebuilds: Generated<number>;
  booked: Generated<boolean>;
  created_at: Moment;
  queued_at: MomentByDefault;
  ended_at: MomentOrNull;
}

declare module '../platform/db/tables.ts' {
  interface Tables {
    outbound_transfers: OutboundTransfersTable;
  }
}
