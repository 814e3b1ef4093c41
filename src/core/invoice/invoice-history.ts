/** What has changed what is owed on an invoice, as its customer is told. Minor units of its currency. */
export interface InvoiceHistory {
  /** All that came, what was too much included. */
  readonly received: bigint;
  /** What came on top or was credited later, and is the customer's credit. */
  readonly creditKept: bigint;
  /** What the customer's credit paid of it. */
  readonly creditUsed: bigint;
  /** The money that came last, of which there is a receipt; credit that was used is none. */
  readonly lastReceived: { readonly paidOn: string; readonly amount: bigint } | null;
  readonly creditNotes: readonly { readonly id: string; readonly number: string }[];
}
