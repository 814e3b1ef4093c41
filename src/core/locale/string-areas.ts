import type { checkoutPageStrings } from './strings/en-checkout-page.ts';
import type { documentStrings } from './strings/en-document.ts';
import type { invoiceStrings } from './strings/en-invoice.ts';
import type { linkStrings } from './strings/en-link.ts';
import type { mailStrings } from './strings/en-mail.ts';
import type { refundPageStrings } from './strings/en-refund-page.ts';

/** The texts of each area. The English table defines the type of the other tables. */
export interface StringTables {
  /** The page of an invoice. */
  invoice: typeof invoiceStrings;
  /** Mails to payers. */
  mail: typeof mailStrings;
  /** Documents drawn as PDF. */
  document: typeof documentStrings;
  /** The page of a payment link. */
  link: typeof linkStrings;
  /** The hosted checkout and the service's notices. */
  'checkout-page': typeof checkoutPageStrings;
  /** The page on which a payer enters the destination of a refund. */
  'refund-page': typeof refundPageStrings;
}

/** A part of the product that has its own texts. */
export type Area = keyof StringTables;
