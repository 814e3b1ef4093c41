import type { Selectable } from 'kysely';
import { defineMachine } from '../../core/machine.ts';
import type { Tx } from '../platform/db/database.ts';
import type { OutboundTransfersTable } from './tables.ts';

/** Money that leaves, as the database holds it. */
export type OutboundRow = Selectable<OutboundTransfersTable>;

/** `held` waits until the sender can cover it. `sending` may have left already. */
export type OutboundState = OutboundRow['state'];

/**
 * The life of an outbound transfer. The table also guards every SQL statement that changes a state. The step from
 * `sending` back to `queued` needs proof that the money has not left and never will; the database refuses it without.
 */
export const outboundMachine = defineMachine<OutboundState>({
  queued: ['sending', 'held', 'failed'],
  held: ['queued', 'failed'],
  sending: ['completed', 'failed', 'queued'],
  completed: [],
  failed: [],
});

/** What is given for a transfer whose asset is bought on the way: at most `max` of `asset`, exchanged along `path`. */
export interface OutboundSource {
  readonly asset: string;
  readonly max: bigint;
  readonly path: readonly string[];
}

/** Money to be sent once. Amounts are in the smallest unit of their asset or currency. */
export interface NewOutbound {
  readonly merchantId: string;
  readonly livemode: boolean;
  /** The name of the `OutboundPurpose` that books how it ended. */
  readonly purpose: string;
  /** What the money is for. A resource and an attempt that are queued already are not sent again. */
  readonly resourceId: string;
  /** From 1 on. */
  readonly attempt: number;
  /** `stellar`, or the id of a card or bank rail. */
  readonly rail: string;
  /** Where to, in the fields of the rail. Null: back to where `originalReference` came from. */
  readonly destination: Readonly<Record<string, string>> | null;
  /** The rail's reference of the charge or credit that is given back; null where nothing is given back. */
  readonly originalReference: string | null;
  readonly asset: string;
  readonly amount: bigint;
  /** Null: the asset itself is sent. */
  readonly source: OutboundSource | null;
  /** What leaves the merchant's balance for it, in minor units of `valueCurrency`. */
  readonly value: bigint;
  readonly valueCurrency: string;
  /** The merchant's clock. */
  readonly now: Date;
}

/** Why money could not be sent: a code of the API, and a sentence for people. */
export interface OutboundFailure {
  readonly code: string;
  readonly message: string;
}

/** A transfer with the present moment of its merchant. */
export type ClockedOutbound = OutboundRow & { readonly clock: Date };

/** How sending a transfer ended: completed, failed, or queued again since it is proven not to have left. */
export type OutboundEnd =
  | {
      readonly state: 'completed';
      /** The transaction hash, or the rail's own reference. */
      readonly reference: string;
      /** Where the money is on a ledger. */
      readonly ledger?: number;
      /** What left, of the source asset; all of it when left out. */
      readonly sentAmount?: bigint;
    }
  | ({ readonly state: 'failed' } & OutboundFailure)
  /** `dueAt` null: at once. */
  | { readonly state: 'queued'; readonly dueAt: Date | null };

/** A module that sends money. It queues transfers under its name, and books how they ended. */
export interface OutboundPurpose {
  readonly name: string;
  /**
   * Books transfers of one merchant that completed or failed, in the transaction that marks them as booked. An error
   * takes all of it back; each transfer is then tried alone, so that one that cannot be booked holds up no other.
   */
  book(tx: Tx, ended: readonly ClockedOutbound[]): Promise<void>;
}
