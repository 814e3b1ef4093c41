import { addSeconds } from '../../core/clock.ts';
import { randomText } from '../../core/id.ts';
import { mobileMoneyMarkets } from '../../core/mobile-money/markets.ts';
import type { Db } from '../../server/platform/db/database.ts';
import { createGroupWriter } from '../../server/platform/db/group-writer.ts';
import {
  type CollectingRail,
  type PromptOutcome,
  type PromptRequest,
  refusedPrompt,
} from '../../server/rails/mobile-money/collecting.ts';
import { sandboxDb } from '../sandbox-tables.ts';
import { findPrompt, type PromptRow, storePrompts } from './prompt.store.ts';
import { phoneBehavior, promptSeconds } from './test-numbers.ts';

interface CollectingDeps {
  readonly db: Db;
  /** One of `sandboxMobileProviders`. */
  readonly rail: string;
}

/**
 * A mobile-money operator of test mode that collects. The schema `sandbox` stores its prompts, so restarts keep them and
 * all replicas share them. The payer's number decides the answer; other numbers wait for the phone page.
 */
export function createSandboxCollecting({ db: database, rail }: CollectingDeps): CollectingRail {
  const db = sandboxDb(database);
  // Prompts that are requested at the same time share one commit.
  const prompts = createGroupWriter<PromptRow, PromptRow | undefined>({
    maxBatch: 64,
    maxParallel: 2,
    keyOf: ({ attempt_id: attemptId }) => attemptId,
    write: batch => storePrompts(db, batch),
  });
  return {
    id: rail,
    livemode: false,
    markets: mobileMoneyMarkets.filter(({ provider }) => provider === rail),
    promptSeconds,
    prompt: async request => {
      const row = (await prompts.write(promptOf(rail, request))) ?? (await findPrompt(db, rail, request.attemptId));
      return row === null ? { state: 'unknown' } : promptOutcome(row, request.now);
    },
    promptStatus: async ({ id, merchantId }, now) => {
      const row = await findPrompt(db, rail, id);
      return row?.merchant_id === merchantId ? promptOutcome(row, now) : null;
    },
  };
}

function promptOf(rail: string, request: PromptRequest): PromptRow {
  const isTaken = mobileMoneyMarkets.some(
    ({ provider, currency }) => provider === rail && currency === request.currency,
  );
  const behavior = isTaken ? phoneBehavior(request.number) : ({ seconds: 0, code: 'processing_error' } as const);
  return {
    rail,
    attempt_id: request.attemptId,
    id: `sbx_prompt_${randomText(22)}`,
    merchant_id: request.merchantId,
    payment_id: request.paymentId,
    payee: request.payee,
    number: request.number,
    amount: request.amount,
    currency: request.currency,
    code: behavior?.code ?? null,
    answered_at: behavior && addSeconds(request.now, behavior.seconds),
    created_at: request.now,
    expires_at: addSeconds(request.now, promptSeconds),
  };
}

/**
 * The outcome at `now`. An operator that takes the money after the end of the prompt is silent in between, so the
 * outcome is unknown.
 */
export function promptOutcome(row: PromptRow, now: Date): PromptOutcome {
  const { id: railReference, code, answered_at: answeredAt, expires_at: expiresAt } = row;
  if (answeredAt !== null && answeredAt <= now) {
    return code === null
      ? { state: 'collected', railReference, amount: row.amount }
      : refusedPrompt(code, railReference);
  }
  if (expiresAt > now) return { state: 'waiting', railReference, expiresAt };
  return answeredAt === null ? refusedPrompt('prompt_expired', railReference) : { state: 'unknown' };
}
