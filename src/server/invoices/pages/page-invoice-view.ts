import type { InvoiceDocument } from '../../../core/invoice/invoice-document.ts';
import type { InvoiceHistory } from '../../../core/invoice/invoice-history.ts';
import type { StringTables } from '../../../core/locale/string-areas.ts';
import type { Merchant } from '../../platform/merchant.ts';
import type { PageFiles } from '../../platform/pages/static-files.ts';

/** What the page of an invoice shows. */
export interface InvoiceView {
  /** Sent: it has a number. */
  readonly document: InvoiceDocument;
  readonly merchant: Merchant;
  /** Whether the payer may choose to pay any part. */
  readonly allowPartial: boolean;
  /** Whether it can be paid. */
  readonly isPayable: boolean;
  /** What has changed what is owed. */
  readonly history: InvoiceHistory;
  /** What the page's address ends in. */
  readonly token: string;
  /** The merchant's preview: it counts as no view, and nothing can be paid. */
  readonly isPreview: boolean;
  readonly strings: StringTables['invoice'];
  readonly files: PageFiles;
  /** Path of the element's script. */
  readonly elementScript: string;
  /** Path of the style sheet with the merchant's colours; null when the merchant has none of its own. */
  readonly brandStyles: string | null;
}

/** What the pieces of the page share. */
export interface InvoiceContext {
  readonly view: InvoiceView;
  readonly document: InvoiceDocument;
  readonly strings: StringTables['invoice'];
  readonly money: (amount: bigint) => string;
  readonly date: (day: string) => string;
}
