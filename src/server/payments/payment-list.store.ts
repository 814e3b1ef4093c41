import type { PaymentStatus } from '../../api/payment.ts';
import { PayError } from '../../core/error.ts';
import type { Db } from '../platform/db/database.ts';
import { type Page, type PageRequest, readPage } from '../platform/db/page.ts';
import type { PaymentRow } from './payment.view.ts';
import type { TransferRow } from './transfers/transfer.store.ts';

/** Whose objects a list shows. */
export interface ListScope {
  readonly merchantId: string;
  readonly livemode: boolean;
}

/** Filters of the list of payments (wire contract §1). */
export interface PaymentFilters {
  readonly status?: PaymentStatus;
  readonly reference?: string;
  readonly customerId?: string;
  /** Id of a payment link. */
  readonly paymentLink?: string;
}

/** A page of the merchant's payments. */
export async function listPayments(
  db: Db,
  scope: ListScope,
  filters: PaymentFilters,
  request: PageRequest,
): Promise<Page<PaymentRow>> {
  const { status, reference, customerId, paymentLink } = filters;
  const list = { table: 'payments' as const, ...scope, only: { payment_link: paymentLink } };
  return await readPage(db, list, request, { equal: { status, reference, customer_id: customerId } });
}

const transferStatuses = ['matched', 'unmatched', 'returning', 'returned'] as const;

/** A page of the money that arrived. `status` is one of matched, unmatched, returning, returned. */
export async function listTransfers(
  db: Db,
  scope: ListScope,
  filters: { readonly status?: string; readonly payment?: string },
  request: PageRequest,
): Promise<Page<TransferRow>> {
  const { status, payment } = filters;
  const wanted = transferStatuses.find(known => known === status);
  if (status !== undefined && wanted === undefined) {
    throw new PayError('parameter_invalid', `status takes ${transferStatuses.join(', ')}.`, { param: 'status' });
  }
  return await readPage(db, { table: 'transfers', ...scope }, request, {
    equal: { status: wanted, payment_id: payment },
  });
}
