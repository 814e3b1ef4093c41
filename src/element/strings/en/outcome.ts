/** The outcome of a payment, in English. Text before `|` is bold. */
export const outcomeStrings = {
  paid: 'Paid, thank you',
  paidTo: '{amount} to {name}',
  authorized: {
    title: 'Your card is authorized',
    text: '{name} takes up to {amount} later, for example when it ships your order. There is nothing more to do.',
  },
  with: 'Paid with',
  date: 'Date',
  reference: 'Reference',
  payment: 'Payment',
  transaction: 'Transaction',
  receipt: 'Download the receipt',
  method: { card: 'Card', bank_transfer: 'Bank transfer', crypto: 'Crypto', mobile_money: 'Mobile money' },
  details: 'What to keep',
  shop: 'The shop',
  overpaid: 'You sent {amount} more than was asked.|It is safe. The shop sends it back or asks you what to do with it.',
  stillDue: 'Remaining balance: {amount}.|You can pay the rest now, or later with the same link.',
  payRest: 'Pay the rest',
  partlyBack: '{amount} was sent back to you.|{when}',
  back: 'Back to the shop',
  unpaid: {
    expired: {
      title: 'This payment has expired',
      text: 'Nothing was taken. You can start again from the shop.',
      transfer:
        'If you have already sent money, do not pay again. We’ll let the shop know, and it completes the order or sends the money back.',
    },
    canceled: {
      title: '{name} has canceled this payment',
      text: 'Nothing is due any more, and nothing was taken.',
      /** After a prompt, which may still be open. */
      prompt: 'Nothing is due any more. If a prompt is open on your phone, refuse it.',
    },
    declined: {
      title: 'This payment could not be made',
      text: 'Too many attempts. Nothing was taken. You can start again from the shop.',
    },
    uncaptured: {
      title: 'This payment could not be made',
      text: 'Your card’s bank refused it. Nothing was taken. You can start again from the shop.',
    },
    linkUsed: {
      title: 'Someone else has already paid this',
      text: 'The link is paid. Nothing was taken from you, and nothing more is due.',
    },
    invoicePaid: {
      title: 'This invoice has been paid already',
      text: 'Nothing more is due, and nothing was taken here.',
    },
    linkClosed: {
      title: 'This link can no longer be paid',
      text: 'Nothing was taken. Ask for a new link.',
    },
  },
  kept: 'We’ve received {amount}.|It is safe. The shop completes the order or sends it back to you.',
  keptFromLink: '{amount} goes back to you.|Open the link again to see whether anything is still due.',
  keptOther: 'What you sent is safe.|You sent a different asset. The shop completes the order or sends it back to you.',
  late: 'Your money arrived after this payment expired.|{amount} is safe. The shop completes the order or sends it back to you.',
  /** Like `late`, for a payment that was canceled or ended in another way. */
  lateAfterEnd:
    'Your money arrived after this payment was closed.|{amount} is safe. The shop completes the order or sends it back to you.',
  closed: {
    title: 'There is no way to pay here just now',
    text: 'The ways to pay that this shop offers are not available yet. Nothing was taken.',
  },
  refunded: 'Your money is on its way back',
  refundedText: '{amount} was sent back to you. {when}',
  when: {
    bank: 'Banks take up to 10 days to show it.',
    wallet: 'It arrives in the wallet it came from within minutes.',
  },
};
