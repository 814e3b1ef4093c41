import type { LinkState } from '../../api/link.ts';
import { PayError } from '../../core/error.ts';
import type { PaymentRow } from '../payments/payment.view.ts';
import type { MoneyRefusal } from '../payments/payment-purpose.ts';

/** The code under which payments are ended, and payers refused, for whom a link had no place left. */
export const linkUsed = 'link_used';

/** Why a link in this state cannot be paid now; the payer reads it. Expired and used links answer 410: they are gone. */
export function refusalOf(state: Exclude<LinkState, 'open'>): PayError {
  switch (state) {
    case 'used':
      return new PayError(linkUsed, 'This payment link has been paid already. Nothing more is due on it.', {
        status: 410,
      });
    case 'expired':
      return new PayError('link_expired', 'The time to pay this link is over. Ask whoever sent it for a new one.');
    case 'disabled':
      return new PayError('link_disabled', 'This payment link is switched off at the moment. Ask whoever sent it.');
    case 'not_started':
      return new PayError('link_not_started', 'This payment link cannot be paid yet. Come back when it has begun.');
  }
}

/** Failures of payments that a link has ended. */
const closedCodes = [linkUsed, 'link_expired', 'link_disabled'] as const;

/** The error for the payer of a payment that its link has ended; null when it ended otherwise. */
export function closedError({ failure_code: failure, failure_message: message }: PaymentRow): PayError | null {
  const code = closedCodes.find(each => each === failure);
  return code === undefined ? null : new PayError(code, message ?? 'This link takes no payments now.');
}

/** Why a payment found no place: somebody else has paid; somebody is paying; or less is missing than it is for. */
export type NoPlace = 'paid' | 'held' | 'short';

/** For whoever has sent money for which there is no place left. */
export function moneyLost(why: NoPlace): MoneyRefusal {
  return { code: linkUsed, message: lostMoney[why] };
}

const lostMoney: Readonly<Record<NoPlace, string>> = {
  paid: 'Somebody else has paid this link. What you sent goes back to you.',
  held: 'Somebody else is paying this link right now. What you sent goes back to you; if they do not finish, it is free again.',
  short: 'Less is missing by now than you chose to pay. What you sent goes back to you; open the link again.',
};

/** For the merchant who would give late money the place of somebody who is paying. */
export function placeInUse(): PayError {
  return new PayError(
    linkUsed,
    'Somebody else is paying this link right now. Send this money back, or decide when they have finished.',
  );
}

/** For whoever is too late in a race: the last place went to somebody else, for good or for now. */
export function lostPlace(why: NoPlace): PayError {
  return new PayError(linkUsed, lostPlaces[why]);
}

const lostPlaces: Readonly<Record<NoPlace, string>> = {
  paid: 'Somebody else has paid this link. Nothing was taken from you.',
  held: 'Somebody else is paying this link right now. Nothing was taken from you; if they do not finish, it is free again.',
  short: 'Less is missing by now than you chose to pay. Nothing was taken; open the link again.',
};
