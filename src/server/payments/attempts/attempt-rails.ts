import type { PaymentCard } from '../../../api/payment.ts';
import type { CardRail, ChargeOutcome } from '../../rails/card-rail.ts';
import type { CollectingRail, PromptOutcome } from '../../rails/mobile-money/collecting.ts';
import type { Rails } from '../../rails/rails.ts';
import type { AttemptRow } from './attempt.store.ts';
import type { AttemptRail, RailOutcome } from './attempt.ts';

/** The rail at which an attempt was started. */
export function railOf(
  { rails }: { readonly rails: Rails },
  attempt: Pick<AttemptRow, 'method' | 'rail'>,
): AttemptRail {
  if (attempt.method === 'mobile_money') {
    const operator = rails.phones.find(phone => phone.id === attempt.rail);
    return operator === undefined ? disconnected(null) : phoneAttempts(operator);
  }
  const acquirer = rails.cards.find(card => card.id === attempt.rail);
  return acquirer === undefined ? disconnected(false) : cardAttempts(acquirer);
}

/** A rail that is no longer connected. Attempts by card stay open until it is connected again. */
function disconnected(canceled: false | null): AttemptRail {
  return { status: async () => ({ state: 'unknown' }), cancel: async () => canceled };
}

function cardAttempts(rail: CardRail): AttemptRail {
  return {
    status: async (attempt, now) => {
      const { id: attemptId, capture_amount: amount, state } = attempt;
      const isOver = state === 'abandoned' || state === 'declined';
      // The capture is requested again, because its first request may not have reached the rail.
      const asked =
        amount === null || isOver ? rail.chargeStatus(attemptId, now) : rail.capture({ attemptId, amount, now });
      const outcome = await asked;
      return outcome === null ? null : chargeOutcome(outcome);
    },
    cancel: ({ id }) => rail.cancelCharge(id),
  };
}

/** Seconds until an acquirer is asked again about a page that waits for the payer. */
const pageSeconds = 15;

/** The acquirer's answer, as the outcome of an attempt. */
export function chargeOutcome(outcome: ChargeOutcome): RailOutcome {
  switch (outcome.state) {
    case 'requires_action': {
      const { state, railReference, url, brand, last4 } = outcome;
      const action = { type: 'redirect', url } as const;
      return { state, railReference, card: { brand, last4 }, action, expiresAt: null, askAgainSeconds: pageSeconds };
    }
    case 'authorized':
      return { state: outcome.state, railReference: outcome.railReference, card: cardOf(outcome) };
    case 'capturing':
    case 'captured': {
      const { state, railReference, amount } = outcome;
      return { state, railReference, amount, card: cardOf(outcome) };
    }
    default:
      return outcome;
  }
}

type Charged = Extract<ChargeOutcome, { readonly threeDSecure: unknown }>;

function cardOf({ brand, last4, threeDSecure }: Charged): PaymentCard {
  return { brand, last4, three_d_secure: threeDSecure };
}

function phoneAttempts(rail: CollectingRail): AttemptRail {
  return {
    status: async (attempt, now) => {
      const { merchant_id: merchantId, id } = attempt;
      // An operator that does not answer must not stop the payer.
      const outcome = await rail
        .promptStatus({ merchantId, id }, now)
        .catch((): PromptOutcome => ({ state: 'unknown' }));
      return outcome === null ? null : promptOutcome(attempt, outcome);
    },
    cancel: async () => null,
  };
}

/** Seconds until an operator is asked about a prompt: the first time, and later. */
const promptSeconds = { first: 2, later: 5 } as const;

/** The operator's answer, as the outcome of an attempt. */
export function promptOutcome(attempt: AttemptRow, outcome: PromptOutcome): RailOutcome {
  switch (outcome.state) {
    case 'waiting': {
      const { railReference, expiresAt } = outcome;
      const { rail: provider, number, amount, currency } = attempt;
      const action = {
        type: 'phone_prompt',
        provider,
        number: number ?? '',
        amount: Number(amount),
        currency,
        expires_at: expiresAt.toISOString(),
      } as const;
      const askAgainSeconds = attempt.state === 'started' ? promptSeconds.first : promptSeconds.later;
      return { state: 'requires_action', railReference, card: null, action, expiresAt, askAgainSeconds };
    }
    case 'collected':
      return { state: 'captured', railReference: outcome.railReference, amount: outcome.amount, card: null };
    case 'refused':
      return { state: 'declined', railReference: outcome.railReference, decline: outcome.refusal };
    default:
      return outcome;
  }
}
