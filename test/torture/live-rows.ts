import { bankAccount, holders } from './payout-rows.ts';

/** One round of rows in so many goes to numbers that the operator refuses. */
const refusedEvery = 5;

/** The rails in turn: three payouts to banks, then one to mobile money. */
const rails = ['sepa', 'ach', 'sepa', 'mtn', 'ach', 'sepa', 'ach', 'mpesa'] as const;

export type LiveRail = (typeof rails)[number];

/** What each rail pays in. */
export const currencies: Readonly<Record<LiveRail, string>> = { sepa: 'EUR', ach: 'USD', mtn: 'GHS', mpesa: 'KES' };

export const railOf = (position: number): LiveRail => rails[position % rails.length] ?? 'sepa';
const roundOf = (position: number) => Math.floor(position / rails.length);
export const isToBank = (position: number) => ['sepa', 'ach'].includes(railOf(position));
const isRefused = (position: number) => roundOf(position) % refusedEvery === 0;
const holderOf = (position: number) => holders[roundOf(position) % holders.length] ?? { holder: '', status: '' };

/** The amount of a row in minor units: whole shillings, for M-Pesa. */
export const amountOf = (position: number) => 100 * (1 + (position % 900));

/** The number of a row at its operator, without a plus. */
export const numberOf = (position: number) =>
  `${railOf(position) === 'mtn' ? '233244' : '254712'}${String(position).padStart(6, '0')}`;

/** How the payout of a row ends. */
export function endOf(position: number): string {
  if (isToBank(position)) return holderOf(position).status;
  return isRefused(position) ? 'failed' : 'completed';
}

/** Rows of one request to banks and mobile-money operators, where money is real. */
export function liveRows(count: number): object[] {
  return Array.from({ length: count }, (_, position) => ({
    amount: amountOf(position),
    currency: currencies[railOf(position)],
    reference: `row-${position}`,
    destination: destinationOf(position),
  }));
}

function destinationOf(position: number): object {
  const rail = railOf(position);
  if (rail === 'mtn' || rail === 'mpesa') {
    return { type: 'mobile_money', provider: rail, number: `+${numberOf(position)}` };
  }
  return bankAccount(rail === 'ach' ? 'ach' : 'sepa', position, holderOf(position).holder);
}
