/**
 * By which of mails about an invoice two are the same (`dedupe_key`): it is sent once in a round, money is thanked for and reminded
 * of once, and so is told what was credited, and that it is void.
 */
export const letterKey = {
  sent: (invoiceId: string, round: string): string => `invoice.sent:${invoiceId}:${round}`,
  receipt: (transactionId: string): string => `invoice.receipt:${transactionId}`,
  reminder: (reminderId: string): string => `invoice.reminder:${reminderId}`,
  creditNote: (creditNoteId: string): string => `invoice.credit_note:${creditNoteId}`,
  voided: (invoiceId: string): string => `invoice.voided:${invoiceId}`,
};

/** The round in which an invoice is sent at first; later ones are named by its version. */
export const firstRound = '1';
