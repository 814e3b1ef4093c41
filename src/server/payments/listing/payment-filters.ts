import { type Static, Type } from 'typebox';
import { Payment, PaymentException, PaymentMethod, PaymentPhase, PaymentStatus } from '../../../api/payment.ts';
import { Currency, rangeParameters, Sum } from '../../../api/schema.ts';
import { readAmount, readRange } from '../../platform/http/list.ts';
import { metadataIn } from '../../platform/http/metadata-filter.ts';
import type { MerchantScope } from '../../platform/merchant.ts';
import type { PaymentFilters } from '../payment.store.ts';
import type { PaymentRouteDeps } from '../payment-deps.ts';
import type { PaymentOwner } from '../payment-purpose.ts';

/** The filters of lists and exports of payments. */
export const paymentFilters = {
  id: Type.Optional(Type.String({ maxLength: 64, description: 'A payment’s id.' })),
  status: Type.Optional(PaymentStatus),
  phase: Type.Optional(PaymentPhase),
  method: Type.Optional(PaymentMethod),
  exception: Type.Optional(PaymentException),
  requires_decision: Type.Optional(
    Type.Boolean({ description: 'Whether money waits for `POST /v1/payments/:id/resolve`.' }),
  ),
  refund_requires_destination: Type.Optional(
    Type.Boolean({ description: 'Whether a refund of the payment waits for the payer’s destination.' }),
  ),
  settlement_status: Type.Optional(Payment.properties.settlement.properties.status),
  settlement: Type.Optional(
    Type.String({ maxLength: 64, description: 'A settlement’s id: its payments, by the newest settlement of each.' }),
  ),
  currency: Type.Optional(Currency),
  ...rangeParameters('amount', Sum),
  payment_link: Type.Optional(Type.String({ maxLength: 64, description: 'A payment link’s id.' })),
  invoice: Type.Optional(Type.String({ maxLength: 64, description: 'An invoice’s id.' })),
  reference: Type.Optional(Type.String({ maxLength: 200 })),
  customer: Type.Optional(Type.String({ maxLength: 254, description: 'A customer’s id or e-mail address.' })),
};

const FilterQuery = Type.Object(paymentFilters);

/** Reads the filters of a query. */
export function filtersOf(
  deps: Pick<PaymentRouteDeps, 'secrets' | 'purposes'>,
  { merchantId, livemode }: MerchantScope,
  query: Static<typeof FilterQuery>,
): PaymentFilters {
  const { id, status, phase, method, exception, settlement_status, reference, customer, currency } = query;
  const { payment_link: link, invoice, requires_decision: isUndecided } = query;
  const { refund_requires_destination: hasWaitingRefund, settlement: settlement_id } = query;
  const customer_id = customer?.includes('@') ? deps.secrets.customerId(merchantId, livemode, customer) : customer;
  const equal = { id, status, phase, method, exception, settlement_status, settlement_id, reference, customer_id };
  return {
    equal: { ...equal, currency: currency?.toUpperCase() },
    amount: readRange(query, 'amount', readAmount),
    metadata: metadataIn(query),
    ...(isUndecided !== undefined && { isUndecided }),
    ...(hasWaitingRefund !== undefined && { hasWaitingRefund }),
    owners: [...ownersWith(deps, 'payment_link', link), ...ownersWith(deps, 'invoice', invoice)],
  };
}

/** The owner whose payments show `id` in the field. Without such a purpose, the blank type matches no payment. */
function ownersWith(
  { purposes }: Pick<PaymentRouteDeps, 'purposes'>,
  field: 'payment_link' | 'invoice',
  id: string | undefined,
): readonly PaymentOwner[] {
  if (id === undefined) return [];
  return [{ type: purposes.find(each => each.wireFields(id)[field] === id)?.type ?? '', id }];
}
