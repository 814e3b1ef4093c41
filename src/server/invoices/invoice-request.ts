import type { CreateInvoice, UpdateInvoice } from '../../api/invoice/invoice.ts';
import type { PostalAddress } from '../../api/schema.ts';
import type { InvoiceRow } from './invoice.view.ts';
import { addDays } from './invoice-day.ts';
import { lineInput, shareInput } from './invoice-terms.ts';

/** The request that would make this invoice again: what a change is laid over, and a duplicate made of. */
export function requestOf(row: InvoiceRow): CreateInvoice {
  const { name, email, address, tax_id: taxId } = row.customer;
  const { deposit, exchange } = row;
  return {
    customer: {
      ...(name !== null && { name }),
      ...(email !== null && { email }),
      ...(address !== null && { address: address as PostalAddress }),
      ...(taxId !== null && { tax_id: taxId }),
    },
    currency: row.currency,
    lines: row.lines.map(lineInput),
    discount: row.discount === null ? null : shareInput(row.discount),
    // A day that is that of the last instalment follows it; a number of days says that there was none.
    due_date: row.days_until_due === null && row.due_date !== row.installments.at(-1)?.due_date ? row.due_date : null,
    days_until_due: row.days_until_due,
    deposit: deposit && {
      ...shareInput(deposit),
      ...(deposit.due_date === null ? {} : { due_date: deposit.due_date }),
    },
    installments: row.installments,
    allow_partial: row.allow_partial,
    payment_methods: row.payment_methods,
    settlement_asset: row.settlement_asset,
    number_prefix: row.number_prefix,
    reference: row.reference,
    exchange: exchange && { currency: exchange.currency, ...(exchange.rate === null ? {} : { rate: exchange.rate }) },
    memo: row.memo,
    footer: row.footer,
    reminders: row.reminders,
    locale: row.locale,
    metadata: row.metadata,
  };
}

/** The request with the fields laid over it that are given. A day of its own replaces a number of days, and the other way round. */
export function changedRequest(row: InvoiceRow, changes: UpdateInvoice): CreateInvoice {
  const before = requestOf(row);
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const timing =
    changes.due_date != null ? { days_until_due: null } : changes.days_until_due != null ? { due_date: null } : {};
  return { ...before, ...timing, ...given };
}

/** The request with its days moved. */
export function movedRequest(request: CreateInvoice, days: number): CreateInvoice {
  const { due_date: dueDate, deposit, installments = [] } = request;
  const isMoved = deposit?.due_date !== undefined;
  return {
    ...request,
    ...(dueDate == null ? {} : { due_date: addDays(dueDate, days) }),
    ...(isMoved && { deposit: { ...deposit, due_date: addDays(deposit.due_date ?? '', days) } }),
    installments: installments.map(part => ({ ...part, due_date: addDays(part.due_date, days) })),
  };
}
