import { addSeconds } from '../../../core/clock.ts';
import { PayError } from '../../../core/error.ts';
import { makeOutboundDue } from '../../outbound/outbound.store.ts';
import { runEach } from '../../platform/jobs/sweeper.ts';
import { cardRailNamed } from '../../rails/rails.ts';
import { type AttemptRow, findAttempt } from '../attempts/attempt.store.ts';
import { followAttempt } from '../attempts/attempt-follow.service.ts';
import { claimAtRails } from '../payment.store.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { readCursor } from '../transfer.store.ts';
import { followDispute } from './card-dispute.service.ts';
import { type CardEventRow, deleteEvent, dueEvents, insertCardEvents, moveEvent } from './card-event.store.ts';

/** The sweep that reads and handles events. */
export const cardEventSweep = 'payments.card_events';

/** Maximum number of events in one batch. */
const mostAtOnce = 100;

/**
 * Reads new events of the acquirers that list them, and handles due events of all. Returns their number. An acquirer
 * that does not answer does not keep back the events of others.
 */
export async function followCardEvents(deps: PaymentDeps): Promise<number> {
  let done = 0;
  await runEach([readFeeds, handleDue], async step => {
    done += await step(deps);
  });
  return done;
}

async function readFeeds({ db, clock, rails }: PaymentDeps): Promise<number> {
  let read = 0;
  await runEach(rails.cards, async ({ id: rail, events: feed }) => {
    if (feed === undefined || !('findEvents' in feed)) return;
    const cursor = await readCursor(db, rail);
    const { events, cursor: next } = await feed.findEvents(cursor, mostAtOnce);
    if (next === null || next === cursor) return;
    await insertCardEvents(db, { rail, events, cursor: next, now: clock.now() });
    read += events.length;
  });
  return read;
}

async function handleDue(deps: PaymentDeps): Promise<number> {
  const rails = deps.rails.cards.map(({ id }) => id);
  const due = await claimAtRails<CardEventRow>(deps.db, dueEvents, { rails, now: deps.clock.now(), limit: mostAtOnce });
  return await runEach(due, event => handle(deps, event));
}

const firstPauseSeconds = 30;

/**
 * Asks the rail about the object of an event, and books its state. The pause before the next try doubles. An event may
 * come before its charge is booked, so a refusal is tried again too.
 */
async function handle(deps: PaymentDeps, event: CardEventRow & { readonly clock: Date }): Promise<void> {
  const { received_at: receivedAt, clock: now } = event;
  try {
    await followEvent(deps, event);
  } catch (error) {
    const ageSeconds = Math.floor((now.getTime() - receivedAt.getTime()) / 1000);
    await moveEvent(deps.db, event, addSeconds(now, Math.max(firstPauseSeconds, ageSeconds)));
    if (!(error instanceof PayError)) throw error;
    const { rail, id, about, reference } = event;
    return deps.log.error({ err: error, rail, event: id, about, reference }, 'an event of an acquirer was refused');
  }
  await deleteEvent(deps.db, event);
}

/** States that no event changes. An authorized card may be in its capture now: only the merchant's side releases it. */
const settledStates: readonly AttemptRow['state'][] = ['captured', 'authorized'];

async function followEvent(deps: PaymentDeps, event: CardEventRow): Promise<void> {
  const { rail, merchant_id: merchantId, about, reference, payment_id: paymentId } = event;
  if (about === 'dispute') return await followDispute(deps, cardRailNamed(deps.rails, rail), { merchantId, reference });
  if (about === 'refund') {
    await makeOutboundDue(deps.db, rail, { merchant_id: merchantId, id: reference }, deps.clock.now());
    return deps.outbound.wake();
  }
  const attempt = paymentId === null ? null : await findAttempt(deps.db, { merchantId, paymentId }, reference);
  if (attempt?.rail !== rail || settledStates.includes(attempt.state)) return;
  await followAttempt(deps, attempt);
}
