import { expect, expectTypeOf, it } from 'vitest';
import type { EventObjects, EventType } from '../../src/api/event.ts';
import type { CreditNote } from '../../src/api/invoice/invoice-money.ts';
import type { Invoice } from '../../src/api/invoice/invoice-view.ts';
import type { PaymentLink } from '../../src/api/link.ts';
import type { Payment } from '../../src/api/payment.ts';
import type { Refund } from '../../src/api/refund.ts';
import type { Transfer } from '../../src/api/transfer.ts';
import type { TreasuryBalance, TreasuryChannels } from '../../src/api/treasury.ts';
import type { WebhookEvent } from '../../src/webhooks/index.ts';

type IsSame<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type IsNever<T> = [T] extends [never] ? true : false;

/** The types of events whose object does not narrow to exactly one schema's type. */
type NotNarrowed = {
  [Type in EventType]: Extract<WebhookEvent, { type: Type }>['data'] extends { readonly object: infer Data }
    ? IsNever<Data> extends true
      ? Type
      : IsSame<Data, EventObjects[Type]> extends true
        ? never
        : Type
    : Type;
}[EventType];

// The compiler checks this file: `npm run types` fails where a type is wrong.
it('each type of event narrows to the type of its object', () => {
  expectTypeOf<NotNarrowed>().toBeNever();
});

it('a switch over the type of an event narrows its object', () => {
  const describe = (event: WebhookEvent): string => {
    const { type, data } = event;
    switch (type) {
      case 'payment.completed':
        expectTypeOf(data.object).toEqualTypeOf<Payment>();
        return data.object.status;
      case 'refund.failed':
        expectTypeOf(data.object).toEqualTypeOf<Refund>();
        return data.object.payment;
      case 'transfer.unmatched':
        expectTypeOf(data.object).toEqualTypeOf<Transfer>();
        return data.object.rail;
      case 'payment_link.paid':
        expectTypeOf(data.object).toEqualTypeOf<PaymentLink>();
        return data.object.url;
      case 'invoice.paid':
        expectTypeOf(data.object).toEqualTypeOf<Invoice>();
        expectTypeOf(data.previous).toEqualTypeOf<Partial<Invoice> | null>();
        return data.object.currency;
      case 'credit_note.created':
        expectTypeOf(data.object).toEqualTypeOf<CreditNote>();
        return data.object.number;
      case 'treasury.low':
        expectTypeOf(data.object).toEqualTypeOf<TreasuryBalance>();
        return data.object.asset;
      case 'treasury.out_of_step':
        expectTypeOf(data.object).toEqualTypeOf<TreasuryChannels>();
        return data.object.resume_code;
      default:
        return type;
    }
  };
  const event = { type: 'invoice.paid', data: { object: { currency: 'EUR' }, previous: null } } as WebhookEvent;
  expect(describe(event)).toBe('EUR');
});
