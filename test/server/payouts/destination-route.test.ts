import { expect, test } from 'vitest';
import type { PayoutDestination } from '../../../src/api/payout.ts';
import { noRoute, routeOf } from '../../../src/server/payouts/destinations/route.ts';
import type { PayoutRail } from '../../../src/server/rails/rail.ts';

/** A rail with only `currencyFor`. */
const rail = (id: string, type: PayoutRail['type'], currencyFor: PayoutRail['currencyFor']) =>
  ({ id, type, currencyFor }) as PayoutRail;
const rails = [
  rail('sepa', 'bank_account', ({ iban }) => (iban === undefined ? null : 'EUR')),
  rail('swift', 'bank_account', ({ bic }, currency) => (bic !== undefined && currency === 'USD' ? 'USD' : null)),
  rail('mpesa', 'mobile_money', ({ provider }) => (provider === 'mpesa' ? 'KES' : null)),
];

const iban: PayoutDestination = { type: 'bank_account', iban: 'DE89370400440532013000', bic: 'DEUTDEFF' };
const account: PayoutDestination = { type: 'bank_account', bic: 'HDFCINBB', account: '501001234', country: 'IN' };
const phone = (provider: string): PayoutDestination => ({ type: 'mobile_money', provider, number: '+254712345678' });
const wallet = (chain: string): PayoutDestination => ({ type: 'crypto_wallet', chain, address: 'x', asset: 'USDC:G' });

test.each<[string, PayoutDestination, string, object | null]>([
  ['the first rail that can', iban, 'USD', { rail: 'sepa', currency: 'EUR' }],
  ['the next rail', account, 'USD', { rail: 'swift', currency: 'USD' }],
  ['none for the currency', account, 'JPY', null],
  ['a provider', phone('mpesa'), 'USD', { rail: 'mpesa', currency: 'KES' }],
  ['none for the provider', phone('mtn'), 'KES', null],
  ['the asset of a Stellar wallet', wallet('stellar'), 'EUR', { rail: 'stellar', currency: 'USDC:G' }],
  ['none for another chain', wallet('bitcoin'), 'EUR', null],
])('routeOf finds %s', (_, destination, currency, expected) => {
  expect(routeOf(destination, currency, rails)).toEqual(expected && { step: 1n, ...expected });
});

test('noRoute names the currency', () => {
  expect(noRoute('payouts[2]', 'JPY', account)).toMatchObject({ param: 'payouts[2].currency', code: 'no_route' });
});
