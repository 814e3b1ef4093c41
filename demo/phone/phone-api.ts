/** A prompt of an operator of test mode. `expires_in` is in seconds. */
export interface Prompt {
  readonly id: string;
  readonly provider: string;
  readonly payee: string;
  readonly number: string;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  readonly expires_in: number;
}

export type Answer = { readonly choice: 'approve'; readonly pin: string } | { readonly choice: 'refuse' };

/** An error with a sentence for the user. */
export class PhoneError extends Error {}

const base = '/sandbox/phone/prompts';

async function ask<T>(path: string, init?: RequestInit): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(path, init);
  } catch (cause) {
    throw new PhoneError('There is no connection to the operator.', { cause });
  }
  const said: unknown = await answer.json().catch(() => null);
  if (answer.ok) return said as T;
  const error = (said as { error?: { message?: string } } | null)?.error;
  throw new PhoneError(error?.message ?? 'The operator does not answer.');
}

/** The sandbox’s operators. Each call throws PhoneError. */
export const phoneApi = {
  /** The prompts of a number (E.164). Null: those of the demo shop. */
  prompts: (number: string | null) =>
    ask<readonly Prompt[]>(number === null ? base : `${base}?${new URLSearchParams({ number })}`),
  /** Answers a prompt. `taken`: the operator has taken the money. */
  answer: (id: string, answer: Answer) =>
    ask<{ readonly taken: boolean }>(`${base}/${id}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(answer),
    }),
};
