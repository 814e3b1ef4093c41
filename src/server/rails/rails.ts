import { PayError } from '../../core/error.ts';
import type { CardRail } from './card-rail.ts';
import type { CollectingRail } from './mobile-money/collecting.ts';
import type { BankRail, PayoutRail } from './rail.ts';

/** All rails of the service. */
export interface Rails {
  /** Card acquirers, the preferred one first. */
  readonly cards: readonly CardRail[];
  readonly banks: readonly BankRail[];
  /** Operators that collect by a prompt on the payer's phone. */
  readonly phones: readonly CollectingRail[];
  readonly payouts: readonly PayoutRail[];
}

/** Chooses the acquirer of a new attempt: the first in the payment's mode that takes its currency, or null. */
export function chooseCardRail<Rail extends Pick<CardRail, 'livemode' | 'takes'>>(
  cards: readonly Rail[],
  { livemode, currency }: { readonly livemode: boolean; readonly currency: string },
): Rail | null {
  return cards.find(card => card.livemode === livemode && card.takes(currency)) ?? null;
}

/** The acquirer with the id, of an earlier attempt or dispute. Throws `unavailable` if it is no longer connected. */
export function cardRailNamed<Rail extends { readonly id: string }>(
  { cards }: { readonly cards: readonly Rail[] },
  id: string,
): Rail {
  const rail = cards.find(card => card.id === id);
  if (rail !== undefined) return rail;
  throw new PayError('unavailable', `The card rail ${id} of this payment is not connected.`);
}
