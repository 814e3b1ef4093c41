import type { LedgerTransaction } from '../../ledger/ledger.store.ts';
import type { Posting } from '../../ledger/posting.ts';
import type { CreditNoteRow, InvoiceRow, TransactionRow } from '../invoice.view.ts';
import type { CreditedSums } from './credit-note.store.ts';

/**
 * The ledger transactions of invoices. Each belongs to its invoice (`resourceId`), and the balances of an invoice's
 * accounts follow from its columns: the view `audit_invoice_accounts` compares the two.
 */

/** Amounts by account. The accounts' names lack the prefix `invoices.`. Zero is allowed. */
type Amounts = Partial<Record<InvoiceAccount, bigint>>;
type InvoiceAccount = Extract<Posting['account'], `invoices.${string}`> extends `invoices.${infer Name}` ? Name : never;

/** The ledger transaction of a sent invoice. The customer owes the total, which is revenue and tax. */
export function issuePosting(invoice: InvoiceRow, now: Date): LedgerTransaction {
  const { total, tax_total: tax } = invoice;
  return transactionOf(invoice, 'invoice_sent', now, { receivable: -total, revenue: total - tax, tax });
}

/** The credit note of a transaction of the type `credit_note`. */
export type PostedNote = Pick<CreditNoteRow, 'id' | 'amount' | 'tax_total'>;

/** The ledger transaction of an invoice's transaction. `invoice` is the row before that transaction. */
export function moneyPosting(invoice: InvoiceRow, entry: TransactionRow, note: PostedNote | null): LedgerTransaction {
  const transaction = transactionOf(
    invoice,
    `invoice_${entry.type}`,
    entry.created_at,
    amountsOf(invoice, entry, note),
  );
  return entry.payment_id === null ? transaction : { ...transaction, paymentId: entry.payment_id };
}

function amountsOf(invoice: InvoiceRow, entry: TransactionRow, note: PostedNote | null): Amounts {
  const { type, amount, amount_overpaid: overpaid } = entry;
  if (type === 'credit_applied') return { [claimOf(invoice)]: amount, credit: -amount };
  if (type === 'refund') return { received: -amount - overpaid, refunded: amount, credit: overpaid };
  if (type !== 'credit_note') return { received: -amount - overpaid, [claimOf(invoice)]: amount, credit: overpaid };
  if (note === null) throw new Error(`transaction ${entry.id} has no credit note`);
  return {
    revenue: note.tax_total - note.amount,
    tax: -note.tax_total,
    [claimOf(invoice)]: amount,
    credit: overpaid,
    // The rest of the credit note covers money that was refunded before.
    refunded: note.amount - amount - overpaid,
  };
}

/**
 * Moves money that the merchant's tolerance forgave from the received money to `invoices.tolerated`. A negative amount
 * was forgiven before and has arrived now.
 */
export function tolerancePosting(
  invoice: InvoiceRow,
  { paymentId, amount, now }: { readonly paymentId: string; readonly amount: bigint; readonly now: Date },
): LedgerTransaction {
  return { ...transactionOf(invoice, 'invoice_tolerance', now, { received: amount, tolerated: -amount }), paymentId };
}

/** The ledger transaction of an uncollectible invoice: the amount that the customer owes is lost. The tax stays. */
export function writeOffPosting(invoice: InvoiceRow, remaining: bigint, now: Date): LedgerTransaction {
  return transactionOf(invoice, 'invoice_write_off', now, { receivable: remaining, losses: -remaining });
}

/**
 * The ledger transaction of a void invoice. It takes back revenue and tax that no credit note took back. If the
 * customer spent credit of a note before a dispute took the payment back, that credit is a loss.
 */
export function voidPosting(invoice: InvoiceRow, remaining: bigint, noted: CreditedSums, now: Date): LedgerTransaction {
  const [total, tax] = [invoice.total - noted.amount, invoice.tax_total - noted.tax];
  const taken = { revenue: tax - total, tax: -tax };
  const claim = claimOf(invoice);
  const lost = total - remaining;
  const cleared = claim === 'losses' ? { losses: remaining + lost } : { receivable: remaining, losses: lost };
  return transactionOf(invoice, 'invoice_void', now, { ...taken, ...cleared });
}

/** The account of the amount that the customer owes. An uncollectible invoice is a loss, which later money reduces. */
function claimOf({ status }: InvoiceRow): 'losses' | 'receivable' {
  return status === 'uncollectible' ? 'losses' : 'receivable';
}

function transactionOf(invoice: InvoiceRow, kind: string, now: Date, amounts: Amounts): LedgerTransaction {
  const { merchant_id: merchantId, id: resourceId, livemode, currency } = invoice;
  const postings = Object.entries(amounts).map(
    ([name, amount]): Posting => ({ account: `invoices.${name as InvoiceAccount}`, currency, amount }),
  );
  return { merchantId, livemode, kind, resourceId, postings, now };
}
