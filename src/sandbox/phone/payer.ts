import { PayError } from '../../core/error.ts';
import type { Db } from '../../server/platform/db/database.ts';
import { sandboxDb } from '../sandbox-tables.ts';
import { answerPrompt, type PromptFilter, type PromptRow, promptsAfter } from './prompt.store.ts';

/** The PIN that approves on the phone page. Every other PIN is wrong. */
export const testPin = '1234';

/** What the payer does with a prompt. `silence`: the prompt ends now, as if its time had passed. */
export type PhoneAnswer = 'approve' | 'refuse' | 'wrong_pin' | 'silence';

const codes = {
  approve: null,
  refuse: 'prompt_refused',
  wrong_pin: 'wrong_pin',
  silence: 'prompt_expired',
} as const;

/** Prompts of one list. A phone with more shows the newest. */
const mostShown = 20;

interface PayerDeps {
  readonly db: Db;
  /** The time of test mode for a merchant. */
  readonly nowOf: (merchantId: string) => Promise<Date>;
  /** Makes the service ask the operator about the attempt, as after an operator's callback. */
  readonly notify: (attempt: {
    readonly rail: string;
    readonly merchantId: string;
    readonly paymentId: string;
    readonly attemptId: string;
  }) => Promise<void>;
}

/** The payer with the phone, for the operators of test mode. */
export interface PhonePayer {
  /** The prompts that the payer can still answer, the newest first. `realNow` is the time of the process. */
  open(filter: PromptFilter, realNow: Date): Promise<readonly OpenPrompt[]>;
  /** Answers a prompt and notifies the service. Throws `illegal_state` if the prompt has ended or was answered. */
  answer(prompt: PromptRow, answer: PhoneAnswer, now: Date): Promise<void>;
}

/** A prompt with the merchant's time. */
export interface OpenPrompt {
  readonly prompt: PromptRow;
  readonly now: Date;
}

export function createPhonePayer({ db: database, nowOf, notify }: PayerDeps): PhonePayer {
  const db = sandboxDb(database);
  return {
    async open(filter, realNow) {
      // Test clocks only run ahead, so a prompt that has ended in real time has ended for its merchant too.
      const rows = await promptsAfter(db, filter, realNow, mostShown);
      const timed = await Promise.all(rows.map(async prompt => ({ prompt, now: await nowOf(prompt.merchant_id) })));
      return timed.filter(({ prompt, now }) => isOpen(prompt, now));
    },
    async answer({ id }, answer, now) {
      const answered = await answerPrompt(db, id, { code: codes[answer], now });
      if (answered === null) throw new PayError('illegal_state', 'The prompt has ended, or was already answered.');
      const { rail, merchant_id: merchantId, payment_id: paymentId, attempt_id: attemptId } = answered;
      await notify({ rail, merchantId, paymentId, attemptId });
    },
  };
}

function isOpen({ answered_at: answeredAt, expires_at: expiresAt }: PromptRow, now: Date): boolean {
  return expiresAt > now && (answeredAt === null || answeredAt > now);
}
