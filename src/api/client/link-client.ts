import type { CreatePaymentLink, PaymentLink, PayPaymentLink, UpdatePaymentLink } from '../link.ts';
import { type ListParams, listOf } from '../pages.ts';
import type { Payment } from '../payment.ts';
import { part, verbs } from './calls.ts';
import type { CallOptions, Transport } from './transport.ts';

/** `client.paymentLinks`: addresses that anybody who has them may pay. */
export function paymentLinks(transport: Transport) {
  const { get, post, patch } = verbs(transport);
  const all = '/v1/payment-links';
  const at = (id: string) => `${all}/${part(id)}`;
  return {
    create: (body: CreatePaymentLink, options?: CallOptions) => post<PaymentLink>(all, body, options),
    retrieve: (id: string, options?: CallOptions) => get<PaymentLink>(at(id), options),
    list: (params?: ListParams, options?: CallOptions) => listOf<PaymentLink>(transport, all, params, options),
    /** Switches it off and on, and changes its words and times; its price never changes. */
    update: (id: string, body: UpdatePaymentLink, options?: CallOptions) => patch<PaymentLink>(at(id), body, options),
    payments: (id: string, params?: ListParams, options?: CallOptions) =>
      listOf<Payment>(transport, `${at(id)}/payments`, params, options),
    /** Makes a payment of the link, as its page does. */
    pay: (id: string, body: PayPaymentLink, options?: CallOptions) =>
      post<Payment>(`${at(id)}/payments`, body, options),
  };
}
