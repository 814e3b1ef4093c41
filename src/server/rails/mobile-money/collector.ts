import { addSeconds } from '../../../core/clock.ts';
import type { MobileMoneyMarket } from '../../../core/mobile-money/markets.ts';
import type { Db } from '../../platform/db/database.ts';
import {
  type CollectingRail,
  type PromptOutcome,
  type PromptRefusal,
  type PromptRequest,
  refusedPrompt,
} from './collecting.ts';
import type { OrderKey } from './connector.ts';
import {
  acceptPrompt,
  decidePrompt,
  endUnsentPrompt,
  findPrompt,
  insertPrompt,
  type PromptVerdict,
} from './prompt.store.ts';
import type { PromptRow } from './tables.ts';

/** A collecting rail that calls an operator over HTTP and receives its callbacks. */
export interface MobileMoneyCollector extends CollectingRail {
  /** Why calls to the operator fail, for the operator of this service. Null while calls succeed. */
  problem(): string | null;
  /** Receives a callback at a secret URL. Returns the attempt (`orderId`) to ask about, or null for an unknown URL. */
  receive(token: string, body: string): Promise<OrderKey | null>;
}

/**
 * The answer to a prompt that was sent. `accepted`: by a `providerId`; `isNew` if the operator has not accepted it
 * before. `unsent`: the operator certainly has not read it. `unknown`: no clear answer.
 */
export type SentPrompt =
  | { readonly state: 'accepted'; readonly providerId: string; readonly isNew: boolean }
  | { readonly state: 'refused'; readonly code: PromptRefusal['code'] }
  | { readonly state: 'unsent' | 'unknown' };

/** The operator's status of a prompt. `missing`: the operator answers that it never received it. */
export type AskedPrompt =
  | ((PromptVerdict | { readonly state: 'waiting' }) & { readonly providerId: string })
  | { readonly state: 'missing' | 'unknown' };

/** The parts that differ between operators. */
interface CollectorParts
  extends Pick<MobileMoneyCollector, 'id' | 'markets' | 'promptSeconds' | 'problem' | 'receive'> {
  readonly db: Db;
  /** Whether the operator recognizes a prompt that is sent again. Otherwise each prompt is sent once. */
  readonly recognizesRepeats: boolean;
  /** Sends the prompt to the number, which has the country's code and no `+`. */
  readonly send: (request: PromptRequest, number: string) => Promise<SentPrompt>;
  readonly ask: (row: PromptRow, now: Date) => Promise<AskedPrompt>;
}

/**
 * Creates a live-mode rail from its parts. Stores each prompt before it is sent, with its amount and its end. The
 * operator's status decides; a decided prompt stays as it is.
 */
export function createCollector(parts: CollectorParts): MobileMoneyCollector {
  const { id, markets, promptSeconds, problem, receive } = parts;
  return {
    id,
    livemode: true,
    markets,
    promptSeconds,
    problem,
    receive,
    prompt: request => prompt(parts, request),
    promptStatus: ({ merchantId, id: orderId }, now) => statusOf(parts, { merchantId, orderId }, now),
  };
}

async function prompt(parts: CollectorParts, request: PromptRequest): Promise<PromptOutcome> {
  const { db, id, promptSeconds, recognizesRepeats } = parts;
  const key = { merchantId: request.merchantId, orderId: request.attemptId };
  const number = /^\+([1-9]\d{6,14})$/.exec(request.number)?.[1];
  if (number === undefined) return refusedPrompt('number_not_registered', null);
  if (!isCollected(parts.markets, request)) return refusedPrompt('processing_error', null);
  const isNew = await insertPrompt(db, id, request, addSeconds(request.now, promptSeconds));
  const known = isNew ? null : await findPrompt(db, id, key);
  if (isNew || (recognizesRepeats && known?.state === 'sent')) {
    await record(parts, request, await parts.send(request, number), isNew);
  }
  const row = await findPrompt(db, id, key);
  return row === null ? { state: 'unknown' } : outcomeOf(row);
}

/** Whether the operator collects such an amount: a positive multiple of the step of a market. */
function isCollected(markets: readonly MobileMoneyMarket[], { amount, currency }: PromptRequest): boolean {
  return markets.some(market => market.currency === currency && amount > 0n && amount % market.step === 0n);
}

/** `isFirst`: the operator cannot have received an earlier request of the attempt. */
async function record(
  { db, id, promptSeconds }: CollectorParts,
  { merchantId, attemptId: orderId, now }: PromptRequest,
  sent: SentPrompt,
  isFirst: boolean,
): Promise<void> {
  const key = { merchantId, orderId };
  switch (sent.state) {
    case 'accepted': {
      const expiresAt = sent.isNew ? addSeconds(now, promptSeconds) : undefined;
      return await acceptPrompt(db, id, key, { providerId: sent.providerId, expiresAt });
    }
    case 'refused':
      return await decidePrompt(db, key, sent);
    case 'unsent':
      return isFirst ? await endUnsentPrompt(db, key) : undefined;
    case 'unknown':
      return;
  }
}

async function statusOf(parts: CollectorParts, key: OrderKey, now: Date): Promise<PromptOutcome | null> {
  const { db, id } = parts;
  const row = await findPrompt(db, id, key);
  if (row === null || row.state === 'collected' || row.state === 'refused') return row && outcomeOf(row);
  const asked = await parts.ask(row, now);
  // The answer to the prompt was lost.
  if ('providerId' in asked && row.state === 'sent') await acceptPrompt(db, id, key, asked);
  switch (asked.state) {
    case 'missing':
      return row.state === 'sent' ? null : { state: 'unknown' };
    case 'unknown':
      return { state: 'unknown' };
    case 'waiting':
      return { state: 'waiting', railReference: asked.providerId, expiresAt: row.expires_at };
    default: {
      await decidePrompt(db, key, asked);
      const decided = await findPrompt(db, id, key);
      return decided && outcomeOf(decided);
    }
  }
}

function outcomeOf(row: PromptRow): PromptOutcome {
  const railReference = row.receipt ?? row.provider_id;
  switch (row.state) {
    case 'sent':
      return { state: 'unknown' };
    case 'accepted':
      return { state: 'waiting', railReference: row.provider_id ?? '', expiresAt: row.expires_at };
    case 'collected':
      return { state: 'collected', railReference: railReference ?? '', amount: row.amount };
    case 'refused':
      return refusedPrompt((row.refusal_code ?? 'processing_error') as PromptRefusal['code'], row.provider_id);
  }
}
