/** What mails to payers say, in English. `{…}` is filled in. */
export const mailStrings = {
  greeting: 'Hello {name},',
  greetingPlain: 'Hello,',
  invoiceSubject: 'Invoice {number} from {merchant}',
  invoiceText: '{merchant} has sent you invoice {number} for {amount}, due on {date}.',
  installmentsText: 'It can be paid in {count} instalments. The first, {amount}, is due on {date}.',
  view: 'See and pay the invoice',
  attached: 'The invoice is attached as a PDF.',
  reminderSubject: {
    before: 'Invoice {number} from {merchant} is due on {date}',
    today: 'Invoice {number} from {merchant} is due today',
    after: 'Invoice {number} from {merchant} is overdue',
  },
  reminderText: {
    before: '{amount} of invoice {number} is due on {date}.',
    today: '{amount} of invoice {number} is due today.',
    after: '{amount} of invoice {number} was due on {date}.',
  },
  partlyPaid: 'You have paid {paid} of {total}. {remaining} is left to pay. Thank you.',
  partlyCredited: '{credited} of {total} was credited to you. {remaining} is left to pay.',
  paidAndCredited:
    'You have paid {paid} of {total}, and {credited} was credited to you. {remaining} is left to pay. Thank you.',
  alreadyPaid: 'If you have paid in the meantime, there is nothing more to do.',
  pay: 'Pay {amount}',
  receiptSubject: 'Receipt for invoice {number} from {merchant}',
  receiptText: '{merchant} has received {amount} for invoice {number}. Thank you.',
  receiptRest: '{amount} is left to pay, due on {date}.',
  receiptDone: 'The invoice is paid in full.',
  questions: 'Questions? Reply to this mail or write to {contact}.',
  testMode: 'Test mode: no real money moves.',
};
