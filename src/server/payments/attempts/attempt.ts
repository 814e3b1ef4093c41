import type { NextAction, PaymentCard } from '../../../api/payment.ts';
import type { ErrorCode } from '../../../core/error.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import type { AttemptRow } from './attempt.store.ts';

/** The merchant of an attempt, and the current time on the merchant's clock. */
export type Acting = Pick<Caller, 'merchant' | 'now'>;

type AttemptCard = Pick<PaymentCard, 'brand' | 'last4'>;

/** Why an attempt took no money, with a message for the payer. */
interface AttemptDecline {
  readonly code: ErrorCode;
  readonly message: string;
}

/**
 * What a rail says about an attempt. `requires_action`: the payer must act, on a page of the rail or on the phone.
 * `authorized`: the money is reserved on the card. `capturing`: it will be taken. `captured`: it was taken. `declined`
 * and `released`: it never will be. `unknown`: the rail did not answer, so the service asks again.
 */
export type RailOutcome =
  | {
      readonly state: 'requires_action';
      readonly railReference: string;
      readonly card: AttemptCard | null;
      readonly action: NextAction;
      /** When the rail ends the attempt by itself. Null for pages, which the service ends. */
      readonly expiresAt: Date | null;
      readonly askAgainSeconds: number;
    }
  | { readonly state: 'authorized'; readonly railReference: string; readonly card: PaymentCard }
  | {
      readonly state: 'captured' | 'capturing';
      readonly railReference: string;
      readonly card: PaymentCard | null;
      /** In minor units of the attempt's currency. */
      readonly amount: bigint;
    }
  | { readonly state: 'declined'; readonly railReference: string | null; readonly decline: AttemptDecline }
  | { readonly state: 'released' }
  | { readonly state: 'unknown' };

/**
 * The outcome of an attempt: the rail's response, or `abandoned` if the request never reached the rail or was given up.
 * `dueAt`: the time of the next query to the rail. `reason`: what the payer and the merchant must know about it.
 */
export type AttemptOutcome =
  | RailOutcome
  | (Extract<RailOutcome, { readonly state: 'declined' }> & { readonly dueAt: Date | null })
  | {
      readonly state: 'abandoned';
      readonly dueAt?: Date | null;
      readonly reason?: AttemptDecline;
      /** Whether the payer may still approve the attempt's prompt. */
      readonly isPromptOpen?: boolean;
    };

/** The rail of an attempt, after its start. */
export interface AttemptRail {
  /** The state of the attempt. Requests a started capture again. Null if the rail never received the attempt. */
  status(attempt: AttemptRow, now: Date): Promise<RailOutcome | null>;
  /**
   * Ends an attempt that waits for the payer, or releases its authorization. False: the money is already taken, or the
   * rail never received the attempt. Null: the rail cannot end an attempt, so its money may still arrive.
   */
  cancel(attempt: AttemptRow): Promise<boolean | null>;
}

/** Seconds until the rail is queried again about an attempt, by the attempt's state. */
export const askAgainSeconds = { started: 30, authorized: 2, capturing: 2, unknown: 2 } as const;

/**
 * Seconds after the end of a prompt in which its operator may still report the outcome, before it is given up. The
 * operator counts from the arrival of the request, so the phone may show the prompt a little longer than the service.
 */
export const promptGraceSeconds = 30;
