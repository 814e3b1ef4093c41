import { Compile } from 'typebox/schema';
import { expect, it } from 'vitest';
import { type EventType, eventTypes } from '../../../src/api/event.ts';
import { CreditNote } from '../../../src/api/invoice/invoice-money.ts';
import { Invoice } from '../../../src/api/invoice/invoice-view.ts';
import { PaymentLink } from '../../../src/api/link.ts';
import { Transfer } from '../../../src/api/merchant.ts';
import { Payment, Refund } from '../../../src/api/payment.ts';
import { TreasuryBalance, TreasuryChannels } from '../../../src/api/treasury.ts';
import { newId } from '../../../src/core/id.ts';
import type { Merchant } from '../../../src/server/merchants/merchant.ts';
import { statusOf } from '../../../src/server/payments/payment.ts';
import { sampleOf } from '../../../src/server/platform/events/sample.ts';

const schemas = {
  ...{ payment: Payment, refund: Refund, transfer: Transfer, treasury: TreasuryBalance },
  treasury_channels: TreasuryChannels,
  ...{ payment_link: PaymentLink, invoice: Invoice, credit_note: CreditNote },
} as const;

const merchant: Merchant = {
  id: newId('account'),
  name: 'Shop',
  supportEmail: null,
  supportUrl: null,
  branding: {
    logo: null,
    icon: null,
    primary_color: null,
    background_color: null,
    font: 'system',
    border_style: 'rounded',
  },
  settlementAsset: 'USDC',
  stellarAddress: null,
  allowedOrigins: [],
  redirectOrigins: [],
  clientAmounts: false,
  toleranceBasisPoints: 50,
  toleranceUnits: 1n,
  quoteSeconds: 900,
  sessionSeconds: 86_400,
  locale: 'en',
  timezone: 'UTC',
  address: null,
  taxId: null,
  iban: null,
  bic: null,
  invoicePrefix: 'INV',
  testClockOffsetMs: 0,
  createdAt: new Date(0),
};

function sample(type: EventType) {
  const caller = { merchant, livemode: false, now: new Date('2026-11-01T12:00:00Z') };
  return sampleOf(type, { caller, publicUrl: 'http://localhost:4242' });
}

it.each(eventTypes)('a sample of %s looks like the real thing', type => {
  const { object, previous, resourceId } = sample(type);
  const kind = type === 'treasury.out_of_step' ? 'treasury_channels' : (type.split('.')[0] as keyof typeof schemas);
  const schema = schemas[kind];
  expect([object.object, object.id, object.livemode]).toEqual([kind, resourceId, false]);
  const strict = { ...schema, additionalProperties: false };
  expect(Compile(strict).Errors(object)).toEqual([true, []]);
  if (object.object === 'payment') expect(object.status).toBe(statusOf[object.phase]);
  expect(previous === null).toBe(/^treasury\.|\.(created|unmatched)$/.test(type));
  for (const [name, value] of Object.entries(previous ?? {})) {
    expect([name, object[name as keyof typeof object]]).not.toEqual([name, value]);
  }
});
