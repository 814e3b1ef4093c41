import type { MobileMoneyMarket } from '../../../core/mobile-money/markets.ts';

/** The contract of operators that collect money by a prompt on the payer's phone. A rail has no clock. */

/** A prompt to show. `attemptId` is its idempotency key: repeated requests show one prompt and take money once. */
export interface PromptRequest {
  readonly attemptId: string;
  readonly merchantId: string;
  /** The payment, for the operator's reports. */
  readonly paymentId: string;
  /** The merchant's name, which the prompt shows. */
  readonly payee: string;
  /** E.164: `+256772123456`. Belongs to a country of the rail's markets. */
  readonly number: string;
  /** Minor units, a multiple of the market's step. */
  readonly amount: bigint;
  readonly currency: string;
  readonly now: Date;
}

/** Why a prompt took no money, with a message for the payer. */
export interface PromptRefusal {
  readonly code:
    | 'prompt_refused'
    | 'wrong_pin'
    | 'insufficient_funds'
    | 'prompt_expired'
    | 'number_not_registered'
    | 'operator_limit'
    | 'operator_unavailable'
    | 'processing_error';
  readonly message: string;
}

/**
 * The state of a prompt. `waiting`: the payer has not answered, and the operator ends the prompt at `expiresAt`.
 * `collected`: the operator has taken the money. `refused`: it never will, or never got the request (`operator_unavailable`). `unknown`: no answer, so the service asks
 * again.
 */
export type PromptOutcome =
  | { readonly state: 'waiting'; readonly railReference: string; readonly expiresAt: Date }
  | { readonly state: 'collected'; readonly railReference: string; readonly amount: bigint }
  | { readonly state: 'refused'; readonly railReference: string | null; readonly refusal: PromptRefusal }
  | { readonly state: 'unknown' };

/** An operator that collects money. Operators cannot withdraw a prompt: the payer may approve it until it ends. */
export interface CollectingRail {
  /** `mtn`, `mpesa` … The payout rail of the same operator has the same id. */
  readonly id: string;
  readonly livemode: boolean;
  /** Countries and currencies in which the account collects. */
  readonly markets: readonly MobileMoneyMarket[];
  /** Seconds from the request until the operator ends a prompt that the payer has not answered. */
  readonly promptSeconds: number;
  /** Shows the prompt. */
  prompt(request: PromptRequest): Promise<PromptOutcome>;
  /**
   * The state of the attempt's prompt. Null if the operator never received the request. The only truth about a prompt:
   * callbacks only make the service ask.
   */
  promptStatus(attempt: { readonly merchantId: string; readonly id: string }, now: Date): Promise<PromptOutcome | null>;
}

const refusals: Readonly<Record<PromptRefusal['code'], string>> = {
  prompt_refused: 'The payment was refused on the phone.',
  wrong_pin: 'The PIN was wrong.',
  insufficient_funds: 'The wallet does not hold enough money.',
  prompt_expired: 'The payment was not confirmed on the phone in time.',
  number_not_registered: 'This number has no mobile-money wallet that can pay.',
  operator_limit: 'The payment exceeds a limit of the operator.',
  operator_unavailable: 'The operator cannot be reached at the moment. Nothing was taken.',
  processing_error: 'The operator could not take the payment.',
};

/** A prompt that took no money, with the message of its code. */
export function refusedPrompt(code: PromptRefusal['code'], railReference: string | null) {
  return { state: 'refused', railReference, refusal: { code, message: refusals[code] } } as const;
}
