/**
 * By which of mails about an invoice two are the same (`dedupe_key`): it is sent once in a round, and money is thanked for and
 * reminded of once.
 */
export const letterKey = {
  sent: (invoiceId: string, round: string): string => `invoice.sent:${invoiceId}:${round}`,
  receipt: (transactionId: string): string => `invoice.receipt:${transactionId}`,
  reminder: (reminderId: string): string => `invoice.reminder:${reminderId}`,
};

/** The round in which an invoice is sent at first; later ones are named by its version. */
export const firstRound = '1';
