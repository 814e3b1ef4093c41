/** The bank tab, in English. Text before `|` is bold. */
export const bankStrings = {
  intro: 'Pay from your own bank.|We show you where to send {amount}. You can use your bank’s app or website.',
  choose: 'Where is your bank account?',
  rails: { sepa: 'Europe, in euros', ach: 'United States, in dollars' },
  railNames: { sepa: 'SEPA transfer', ach: 'ACH transfer' },
  arrives0: 'within a minute',
  arrives1: 'in 1 business day',
  arrives: 'in {days} business days',
  show: 'Show bank details',
  shown: 'Here is where to send the money.',
  scan: 'Transfer {amount} from your bank app.|Scan the code and the details fill in. Transfers arrive {arrives}.',
  copy: 'Transfer {amount} from your bank app.|Copy each field. The reference tells the shop that it was you. Transfers arrive {arrives}.',
  /** Used after a partial payment. */
  scanRest:
    'We’ve received {received}.|Remaining balance: {amount}. Scan the code, or pay the rest any other way. Transfers arrive {arrives}.',
  copyRest:
    'We’ve received {received}.|Remaining balance: {amount}. Copy each field, or pay the rest any other way. Transfers arrive {arrives}.',
  code: 'Transfer code for your bank app: {amount}, reference {reference}',
  otherDevice: 'Is your bank app on another device? Scan this.',
  details: 'Transfer details',
  labels: {
    account_holder: 'Account holder',
    iban: 'IBAN',
    bic: 'BIC',
    routing_number: 'Routing number',
    account_number: 'Account number',
    reference: 'Reference (required)',
    amount: 'Amount',
  },
  waiting: 'Waiting for the transfer',
  leave: 'You can close this page. We’ll let the shop know.',
  otherRail: 'Use another kind of transfer',
  simulate: 'Simulate my bank',
  simulatePart: 'Send only a part',
  simulateNote: 'Test mode: no real money moves.',
};
