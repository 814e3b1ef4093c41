import type { PaymentStatus } from '../../api/payment.ts';
import { PayError } from '../../core/error.ts';
import type { Db } from '../db/database.ts';
import { type Page, type PageRequest, pageBounds } from '../db/page.ts';
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
  const { paymentLink } = filters;
  const bounds = await pageBounds(
    db,
    { table: 'payments', ...scope, ...(paymentLink !== undefined && { paymentLink }) },
    request,
  );
  let query = db
    .selectFrom('payments')
    .selectAll()
    .where('merchant_id', '=', scope.merchantId)
    .where('livemode', '=', scope.livemode)
    .where(bounds.within);
  if (filters.status !== undefined) query = query.where('status', '=', filters.status);
  if (filters.reference !== undefined) query = query.where('reference', '=', filters.reference);
  if (filters.customerId !== undefined) query = query.where('customer_id', '=', filters.customerId);
  if (paymentLink !== undefined) query = query.where('payment_link', '=', paymentLink);
  const rows = await query.orderBy('created_at', bounds.order).orderBy('id', bounds.order).limit(bounds.take).execute();
  return bounds.toPage(rows);
}

const transferStatuses = ['matched', 'unmatched', 'returning', 'returned'] as const;

/** A page of the money that arrived. `status` is one of matched, unmatched, returning, returned. */
export async function listTransfers(
  db: Db,
  scope: ListScope,
  status: string | undefined,
  request: PageRequest,
): Promise<Page<TransferRow>> {
  const wanted = transferStatuses.find(known => known === status);
  if (status !== undefined && wanted === undefined) {
    throw new PayError('parameter_invalid', `status takes ${transferStatuses.join(', ')}.`, { param: 'status' });
  }
  const bounds = await pageBounds(db, { table: 'transfers', ...scope }, request);
  let query = db
    .selectFrom('transfers')
    .selectAll()
    .where('merchant_id', '=', scope.merchantId)
    .where('livemode', '=', scope.livemode)
    .where(bounds.within);
  if (wanted !== undefined) query = query.where('status', '=', wanted);
  const rows = await query.orderBy('created_at', bounds.order).orderBy('id', bounds.order).limit(bounds.take).execute();
  return bounds.toPage(rows);
}
