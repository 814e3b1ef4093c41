import type { ColumnType, Generated, Selectable } from 'kysely';
import { defineMachine } from '../../core/machine.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Moment, MomentByDefault, MomentOrNull } from '../platform/db/tables.ts';

/** A row of `outbound_transfers`: money that leaves. */
export type OutboundRow = Selectable<OutboundTransfersTable>;

/** `held` waits until the sender can cover it. `sending` may have left already. */
export type OutboundState = OutboundRow['state'];

/** The step from `sending` back to `queued` needs proof that the money never leaves; the database checks it, too. */
export const outboundMachine = defineMachine<OutboundState>({
  queued: ['sending', 'held', 'failed'],
  held: ['queued', 'failed'],
  sending: ['completed', 'failed', 'queued'],
  completed: [],
  failed: [],
});

/** Money to be sent once. Amounts are in the smallest unit of their asset or currency. */
export interface NewOutbound {
  readonly merchantId: string;
  readonly livemode: boolean;
  /** The name of the `OutboundPurpose` that books the outcome. */
  readonly purpose: string;
  /** The object that the money is sent for. A resource and attempt that are queued already are not sent again. */
  readonly resourceId: string;
  /** From 1 on. */
  readonly attempt: number;
  /** `stellar`, or the id of a card or bank rail. */
  readonly rail: string;
  /** The recipient, in the fields of the rail. Null: the sender of `originalReference`. */
  readonly destination: Readonly<Record<string, string>> | null;
  /** The rail's reference of the charge or credit that is given back, or null. */
  readonly originalReference: string | null;
  readonly asset: string;
  readonly amount: bigint;
  /** The asset that the sender gives, at most `max` of it, exchanged along `path`. Null: the asset itself is sent. */
  readonly source: { readonly asset: string; readonly max: bigint; readonly path: readonly string[] } | null;
  /** The amount that leaves the merchant's balance, in minor units of `valueCurrency`. */
  readonly value: bigint;
  readonly valueCurrency: string;
  /** Time on the merchant's clock. */
  readonly now: Date;
}

/** Why money could not be sent: a code of the API, and a sentence for people. */
export interface OutboundFailure {
  readonly code: string;
  readonly message: string;
}

/** A transfer with the time on its merchant's clock. */
export type ClockedOutbound = OutboundRow & { readonly clock: Date };

/** The outcome of sending a transfer: completed, failed, or queued again because it certainly has not left. */
export type OutboundEnd =
  | {
      readonly state: 'completed';
      /** The transaction hash, or the rail's own reference. */
      readonly reference: string;
      readonly ledger?: number;
      /** The amount that left, in the source asset; all of it when left out. */
      readonly sentAmount?: bigint;
    }
  | ({ readonly state: 'failed' } & OutboundFailure)
  /** `dueAt` null: at once. */
  | { readonly state: 'queued'; readonly dueAt: Date | null };

/** A module that sends money. It queues transfers under its name, and books their outcome. */
export interface OutboundPurpose {
  readonly name: string;
  /**
   * Books transfers of one merchant that completed or failed, in the transaction that marks them as booked. After an
   * error each transfer is booked alone, so that a bad one does not block the others.
   */
  book(tx: Tx, ended: readonly ClockedOutbound[]): Promise<void>;
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
  envelope_id: string | null;
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
