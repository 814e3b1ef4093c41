import { Compile } from 'typebox/schema';
import { expect, it } from 'vitest';
import type { Payment } from '../../../src/api/payment.ts';
import { newId } from '../../../src/core/id.ts';
import { modules } from '../../../src/server/app.ts';
import { statusOf } from '../../../src/server/payments/payment.ts';
import type { Merchant } from '../../../src/server/platform/merchant.ts';
import { declarationsOf } from '../../../src/server/platform/module.ts';

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
  legalRegistration: null,
  invoiceContact: null,
  payoutApprovalAmount: null,
  payoutApprovalCurrency: null,
  settlementSchedule: 'automatic',
  settlementDestination: null,
  settlementBatch: 'payment',
  settlementHour: 0,
  allowedOrigins: [],
  redirectOrigins: [],
  clientAmounts: false,
  receipts: false,
  toleranceBasisPoints: 50,
  toleranceUnits: 1n,
  quoteSeconds: 900,
  sessionSeconds: 86_400,
  matchBankCreditsByAmount: true,
  quoteGraceSeconds: 600,
  lateMoney: 'wait',
  locale: 'en',
  timezone: 'UTC',
  address: null,
  taxId: null,
  iban: null,
  bic: null,
  invoicePrefix: 'INV',
  kyc: 'service',
  testClockOffsetMs: 0,
  createdAt: new Date(0),
};

const { events } = declarationsOf(modules);
const caller = { merchant, livemode: false, now: new Date('2026-11-01T12:00:00Z') };

it.each(Object.entries(events))('a sample of %s has the shape of a real event', (type, { data, sample }) => {
  const { object, previous, resourceId } = sample({ caller, publicUrl: 'http://localhost:4242' });
  const known = object as Record<string, unknown>;
  const kind = type === 'treasury.out_of_step' ? 'treasury_channels' : type.split('.')[0];
  expect([known['object'], known['id'], known['livemode']]).toEqual([kind, resourceId, false]);
  const strict = { ...data, additionalProperties: false };
  expect(Compile(strict).Errors(object)).toEqual([true, []]);
  if (kind === 'payment') expect(known['status']).toBe(statusOf[(object as Payment).phase]);
  expect(previous === null).toBe(/^treasury\.|\.(created|unmatched)$/.test(type));
  for (const [name, value] of Object.entries(previous ?? {})) {
    expect([name, known[name]]).not.toEqual([name, value]);
  }
});
