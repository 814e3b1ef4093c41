/** The bank tab, in English. Text before `|` is bold. */
export const bankStrings = {
  intro: 'Pay from your own bank.|We show you where to send {amount}. You can use your bank’s app or website.',
  choose: 'Where is your bank account?',
  rails: { sepa: 'Europe, in euros', ach: 'United States, in dollars' },
  railNames: { sepa: 'SEPA transfer', ach: 'ACH transfer' },
  arrives0: 'arrives within a minute',
  arrives1: 'arrives in 1 bank day',
  arrives: 'arrives in {days} bank days',
  show: 'Show bank details',
  shown: 'Here is where to send the money.',
  scan: 'Transfer {amount} from your bank app.|Scan the code and every field is filled in. It {arrives}.',
  copy: 'Transfer {amount} from your bank app.|Copy each field. The reference tells the shop that it was you. It {arrives}.',
  /** After a partial payment. */
  scanRest:
    '{amount} is still to pay.|{received} has arrived and is on this payment. Scan the code, or pay the rest any other way. It {arrives}.',
  copyRest:
    '{amount} is still to pay.|{received} has arrived and is on this payment. Copy each field, or pay the rest any other way. It {arrives}.',
  code: 'Transfer code for your bank app: {amount}, reference {reference}',
  otherDevice: 'Is your bank app on another device? Scan this.',
  details: 'Transfer details',
  labels: {
    account_holder: 'Account holder',
    iban: 'IBAN',
    bic: 'BIC',
    routing_number: 'Routing number',
    account_number: 'Account number',
    reference: 'Reference, important',
    amount: 'Amount',
  },
  waiting: 'Waiting for the transfer',
  leave: 'You can close this page. The shop hears of it by itself.',
  otherRail: 'Use another kind of transfer',
  simulate: 'Simulate my bank',
  simulatePart: 'Send only a part',
  simulateNote: 'Test mode: no real money moves.',
};
