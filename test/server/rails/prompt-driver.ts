import { addSeconds } from '../../../src/core/clock.ts';
import { newId } from '../../../src/core/id.ts';
import type {
  CollectingRail,
  PromptOutcome,
  PromptRequest,
} from '../../../src/server/rails/mobile-money/collecting.ts';
import { start } from './order-driver.ts';

/** A prompt for 12.00 at a number of the operator. */
export function promptOf(provider: 'mtn' | 'mpesa', changes: Partial<PromptRequest> = {}): PromptRequest {
  return {
    attemptId: newId('attempt'),
    merchantId: newId('account'),
    paymentId: newId('payment'),
    payee: 'Café Nordlys & Søn',
    number: provider === 'mpesa' ? '+254712345678' : '+233241234567',
    amount: 1_200n,
    currency: provider === 'mpesa' ? 'KES' : 'GHS',
    now: start,
    ...changes,
  };
}

/** The outcome of a prompt that its operator certainly did not receive. */
export const operatorUnavailable = { state: 'refused', refusal: { code: 'operator_unavailable' } };

/** Asks for the state of a prompt as the service does. */
export const statusOf = (rail: CollectingRail, request: PromptRequest, seconds = 1) =>
  rail.promptStatus({ merchantId: request.merchantId, id: request.attemptId }, addSeconds(request.now, seconds));

/**
 * Shows a prompt, and asks for its state until it has ended. Asks to show it again while its state is not known. Each
 * step uses its own rail, like another process. Returns the last outcome.
 */
export async function collect(
  railAt: () => CollectingRail,
  request: PromptRequest,
  afterPrompt: () => Promise<void> | void = () => {},
): Promise<PromptOutcome> {
  let outcome = await railAt().prompt(request);
  await afterPrompt();
  for (let step = 1; step < 8 && outcome.state !== 'collected' && outcome.state !== 'refused'; step++) {
    const known = await statusOf(railAt(), request, step);
    if (known !== null && known.state !== 'unknown') {
      outcome = known;
      continue;
    }
    outcome = await railAt().prompt(request);
    await afterPrompt();
  }
  return outcome;
}
