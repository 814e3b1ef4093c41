import type { LinkState } from '../../api/link.ts';
import { PayError } from '../../core/error.ts';
import type { PaymentRow } from '../payments/payment.view.ts';
import type { MoneyRefusal } from '../payments/payment-purpose.ts';

/** Error and failure code for payers of a link without a use left. */
export const linkUsed = 'link_used';

/** The error for a payer of a link in this state. Expired and used links answer 410 Gone. */
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

/**
 * Why a link has no use for a payment: all are paid, others are reserved, or less is missing than the payment's amount.
 */
export type NoRoom = 'paid' | 'reserved' | 'short';

/** The refusal of received money, for its payer. */
export function noRoomForMoney(why: NoRoom): MoneyRefusal {
  return { code: linkUsed, message: noRoomMessages[why] };
}

const noRoomMessages: Readonly<Record<NoRoom, string>> = {
  paid: 'Somebody else has paid this link. What you sent goes back to you.',
  reserved:
    'Somebody else is paying this link right now. What you sent goes back to you; if they do not finish, it is free again.',
  short: 'Less is missing by now than you chose to pay. What you sent goes back to you; open the link again.',
};

/** The error for a merchant who accepts late money while another payer has reserved the last use. */
export function reservedByOther(): PayError {
  return new PayError(
    linkUsed,
    'Somebody else is paying this link right now. Send this money back, or decide when they have finished.',
  );
}

/** The error for a payer who begins to pay too late. */
export function tooLate(why: NoRoom): PayError {
  return new PayError(linkUsed, tooLateMessages[why]);
}

const tooLateMessages: Readonly<Record<NoRoom, string>> = {
  paid: 'Somebody else has paid this link. Nothing was taken from you.',
  reserved:
    'Somebody else is paying this link right now. Nothing was taken from you; if they do not finish, it is free again.',
  short: 'Less is missing by now than you chose to pay. Nothing was taken; open the link again.',
};
