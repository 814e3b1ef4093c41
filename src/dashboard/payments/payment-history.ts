import type { PayClient } from '../../api/client.ts';
import type { PaymentHistoryEntry } from '../../api/dashboard/payment-history.ts';
import type { Payment } from '../../api/payment.ts';

type Entry<Type extends PaymentHistoryEntry['type']> = Extract<PaymentHistoryEntry, { type: Type }>;
type Records<Type extends PaymentHistoryEntry['type']> = readonly Entry<Type>['data'][];

/** A payment and the service's records about it, the oldest first. Records that the role may not read are missing. */
export interface PaymentRecords {
  readonly payment: Payment;
  readonly events: Records<'event'>;
  readonly attempts: Records<'attempt'>;
  readonly refunds: Records<'refund'>;
  readonly transfers: Records<'transfer'>;
  readonly disputes: Records<'dispute'>;
  readonly entries: Records<'balance_entry'>;
  readonly deliveries: readonly Entry<'delivery'>[];
}

/** Reads a payment with its history, in one call. Throws PayApiError. */
export async function readHistory(client: PayClient, id: string, signal: AbortSignal): Promise<PaymentRecords> {
  const { payment, data } = await client.payments.history(id, { signal });
  const of = <Type extends PaymentHistoryEntry['type']>(type: Type) =>
    data.filter((entry): entry is Entry<Type> => entry.type === type);
  return {
    payment,
    events: recordsIn(of('event')),
    attempts: recordsIn(of('attempt')),
    refunds: recordsIn(of('refund')),
    transfers: recordsIn(of('transfer')),
    disputes: recordsIn(of('dispute')),
    entries: recordsIn(of('balance_entry')),
    deliveries: of('delivery'),
  };
}

function recordsIn<Data>(entries: readonly { readonly data: Data }[]): readonly Data[] {
  return entries.map(({ data }) => data);
}
