import type { PromptRefusal } from '../../server/rails/mobile-money/collecting.ts';

/** What the payer of a test number does. `seconds`: time from the request until the answer. */
interface PhoneBehavior {
  readonly seconds: number;
  /** Null: the payer approves. */
  readonly code: PromptRefusal['code'] | null;
}

/** Seconds from the request until the operator ends a prompt. */
export const promptSeconds = 120;
const usual = { seconds: 1, code: null } as const;

/**
 * Behaviors by the last three digits of the number. 029, 039, 069 and 789 are test numbers of pawaPay for deposits. The
 * digits differ from those that decide a payout, except 789, which is paid there.
 */
const behaviors: Readonly<Record<string, PhoneBehavior>> = {
  '029': { seconds: 0, code: 'number_not_registered' },
  '039': { ...usual, code: 'prompt_refused' },
  '049': { ...usual, code: 'insufficient_funds' },
  '059': { ...usual, code: 'wrong_pin' },
  '069': { ...usual, code: 'processing_error' },
  '079': { ...usual, code: 'operator_limit' },
  '099': { seconds: promptSeconds, code: 'prompt_expired' },
  '109': { seconds: promptSeconds + 60, code: null },
  '789': usual,
};

/** The behavior of a number. Null: the prompt waits for the phone page or a test helper. */
export function phoneBehavior(number: string): PhoneBehavior | null {
  return behaviors[number.slice(-3)] ?? null;
}
