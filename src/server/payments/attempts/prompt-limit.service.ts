import { addSeconds } from '../../../core/clock.ts';
import { PayError } from '../../../core/error.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import { maskedNumber } from '../receipts/received-part.ts';
import type { AttemptRow } from './attempt.store.ts';
import { promptGraceSeconds } from './attempt.ts';
import { type AskedPrompt, type NumberUse, readNumberUse } from './open-prompt.store.ts';

/**
 * Prompts of one merchant to one number, for callers without a secret key. All visitors of a page know its publishable
 * key. The limit leaves room for a wrong PIN, a top-up and another operator.
 */
const mostPrompts = 5;
const countedSeconds = 600;

/** An attempt to start, and who asks for it. */
interface AskedAttempt {
  readonly caller: Caller;
  readonly attempt: AttemptRow;
}

/**
 * The refused prompts among attempts to start, by the id of the attempt. `prompt_open`: the number has an open prompt of
 * the merchant, also one of an earlier attempt in the list. `too_many_attempts`: the caller has no secret key, and the
 * number got too many prompts. Attempts by card are never refused.
 */
export async function refusedPrompts(tx: Tx, asked: readonly AskedAttempt[]): Promise<ReadonlyMap<string, PayError>> {
  const prompts = asked.flatMap(({ caller, attempt: { number, ...attempt } }) =>
    number === null ? [] : [{ caller, number, attempt }],
  );
  if (prompts.length === 0) return new Map();
  const use = await readNumberUse(tx, prompts.map(toRead), mostPrompts);
  const taken = new Set<string>();
  const refused = new Map<string, PayError>();
  for (const { caller, number, attempt } of prompts) {
    const found = use.find(({ id }) => id === attempt.id);
    const name = `${attempt.merchant_id} ${attempt.livemode} ${number}`;
    const refusal = found?.isOpen || taken.has(name) ? promptOpen(number, 'number') : tooMany(caller, number, found);
    if (refusal === null) taken.add(name);
    else refused.set(attempt.id, refusal);
  }
  return refused;
}

interface AskedNumber {
  readonly caller: Caller;
  readonly number: string;
  readonly attempt: Pick<AttemptRow, 'merchant_id' | 'livemode' | 'id'>;
}

function toRead({ caller: { now }, number, attempt: { merchant_id, livemode, id } }: AskedNumber): AskedPrompt {
  const [overAt, countedSince] = [addSeconds(now, -promptGraceSeconds), addSeconds(now, -countedSeconds)];
  return { merchant_id, livemode, id, number, over_at: overAt, counted_since: countedSince };
}

/**
 * The error while a prompt is open. Both could take the money. `param`: `number`, if another number would be free; null,
 * if the payment itself waits for the prompt.
 */
export function promptOpen(number: string, param: 'number' | null): PayError {
  const message =
    `A prompt is open on the phone ${maskedNumber(number)}. ` +
    'Answer it there, or wait until it ends, then send a new one.';
  return new PayError('prompt_open', message, param === null ? {} : { param });
}

function tooMany({ kind, now }: Caller, number: string, use: NumberUse | undefined): PayError | null {
  if (kind === 'secret' || !use?.fullSince) return null;
  const retryAfterSeconds = (addSeconds(use.fullSince, countedSeconds).getTime() - now.getTime()) / 1000;
  const message = `The phone ${maskedNumber(number)} got ${mostPrompts} prompts in ten minutes. Wait some minutes, or use another number.`;
  return new PayError('too_many_attempts', message, { param: 'number', retryAfterSeconds });
}
