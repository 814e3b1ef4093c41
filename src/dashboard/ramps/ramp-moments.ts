import type { Event } from '../../api/event.ts';
import { destinationText } from '../../api/payout.ts';
import type { Ramp } from '../../api/ramps/ramp.ts';
import { rawJson } from '../app/json-text.ts';
import type { Tone } from '../controls/status-chip.ts';
import type { Moment } from '../controls/timeline.ts';
import { moneyWords, shortenedWords } from '../controls/values.ts';
import { kycStates, tierWords } from '../customers/kyc/kyc-words.ts';
import { methods } from '../payments/payment-states.ts';
import { codeOf, coinsWords, givenWords, rampMoneyWords, tradeWords } from './ramp-words.ts';

type Told = readonly [title: string, tone: Tone, text?: string];

/** The timeline of a ramp, newest first, from its events. A person who may not read events sees its main times. */
export function momentsOf(ramp: Ramp, events: readonly Event[]): readonly Moment[] {
  const moments = events.length === 0 ? mainMoments(ramp) : events.map(momentOf);
  return moments.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
}

function mainMoments(ramp: Ramp): readonly Moment[] {
  const { created_at: begun, paid_at: paid, completed_at: ended, status } = ramp;
  const [last, tone, text] = status === 'refunded' ? refunded(ramp) : delivered(ramp);
  return [
    { at: begun, title: 'Begun', text: tradeWords(ramp) },
    ...(paid === null ? [] : [{ at: paid, title: 'Paid', tone: 'good' as const }]),
    ...(ended === null ? [] : [{ at: ended, title: last, tone, text: text ?? '' }]),
  ];
}

function momentOf(event: Event): Moment {
  const ramp = (event.data as { object: Ramp }).object;
  const previous = event.data.previous as Partial<Ramp> | null;
  const [title, tone, text = ''] = previous === null ? begun(ramp) : toldBy(ramp, previous);
  return { at: event.created_at, title, tone, text, more: rawJson(event) };
}

function begun(ramp: Ramp): Told {
  const { method, kyc_tier_needed: tier } = ramp;
  const trade = `${tradeWords(ramp)}, by ${methods[method].toLowerCase()}`;
  return [
    'Begun',
    'plain',
    tier === null ? trade : `${trade}. The customer needs an identity check first: ${tierWords(tier)}.`,
  ];
}

function toldBy(ramp: Ramp, previous: Partial<Ramp>): Told {
  return previous.status === undefined ? noted(ramp, previous) : stepped(ramp, previous.status);
}

/** A new state. */
function stepped(ramp: Ramp, before: Ramp['status']): Told {
  const why = ramp.failure?.message;
  switch (ramp.status) {
    case 'incomplete':
      return ['Needs an identity check', 'warn'];
    case 'pending_user_transfer_start':
      return ['Identity check passed', 'good', 'The customer can pay now.'];
    case 'pending_anchor':
      return backToMoney(ramp, before);
    case 'pending_stellar':
      return ['Coins on their way', 'busy', `${coinsWords(ramp)} to ${targetWords(ramp)}`];
    case 'pending_external':
      return ['Payout on its way', 'busy', `${rampMoneyWords(ramp)} to ${targetWords(ramp)}`];
    case 'pending_trust':
      return ['Wallet not ready', 'warn', why ?? `The wallet has no trustline for ${codeOf(ramp.asset)}.`];
    case 'on_hold':
      return ['On hold', 'warn', [arrived(ramp, before), why ?? 'Accept or refund the money.'].join('')];
    case 'completed':
      return delivered(ramp);
    case 'refunded':
      return refunded(ramp);
    case 'expired':
      return ramp.failure?.code === 'canceled'
        ? ['Canceled', 'plain']
        : ['Ended without a payment', 'plain', why ?? ''];
  }
}

/** What arrived by this step, in words. */
const arrived = (ramp: Ramp, before: Ramp['status']): string =>
  before === 'pending_user_transfer_start' || before === 'expired' ? `${givenWords(ramp)} arrived. ` : '';

/** The wallet, or the destination of the payout. */
function targetWords({ wallet, payout_destination: destination }: Ramp): string {
  if (wallet !== null) return shortenedWords(wallet.address);
  return destination === null ? 'the customer' : destinationText(destination);
}

/** The money is here, and the delivery begins or begins again. */
function backToMoney(ramp: Ramp, before: Ramp['status']): Told {
  if (before === 'on_hold') return ['Accepted', 'busy', acceptedWords[ramp.direction]];
  if (before === 'pending_stellar') return ['Delivery failed', 'warn', ramp.failure?.message ?? 'It is tried again.'];
  if (before === 'pending_trust') return ['Delivery is tried again', 'busy'];
  return [ramp.direction === 'on' ? 'Paid' : 'Coins arrived', 'good', givenWords(ramp)];
}

const acceptedWords = { on: 'The money buys coins at the market rate.', off: 'The money is paid out.' } as const;

function delivered(ramp: Ramp): Told {
  const { delivery, ledger, tx_hash: hash } = ramp;
  if (ramp.direction === 'off') return ['Paid out', 'good', `${rampMoneyWords(ramp)} to ${targetWords(ramp)}`];
  const facts = [
    coinsWords(ramp),
    delivery === 'claimable_balance' ? 'as a claimable balance' : null,
    ledger === null ? null : `ledger ${ledger.toLocaleString('en')}`,
    hash === null ? null : `transaction ${shortenedWords(hash, 4, 2)}`,
  ];
  return ['Delivered', 'good', facts.filter(Boolean).join(' · ')];
}

const refunded = ({ refunds, fiat_currency: currency }: Ramp): Told => [
  'Refunded',
  'plain',
  moneyWords(refunds.amount_refunded, currency),
];

/** A change without a new state. */
function noted(ramp: Ramp, previous: Partial<Ramp>): Told {
  const { fiat_currency: currency, refunds, amount_disputed: disputed, failure, kyc_status: kyc } = ramp;
  const back = previous.refunds?.amount_refunded;
  if (back !== undefined && back !== refunds.amount_refunded) {
    const sum = moneyWords(Math.abs(refunds.amount_refunded - back), currency);
    return back < refunds.amount_refunded ? ['Refunded in part', 'plain', sum] : ['Refund came back', 'warn', sum];
  }
  if (previous.amount_disputed !== undefined) {
    const isMore = disputed > previous.amount_disputed;
    return isMore ? ['Disputed', 'bad', moneyWords(disputed, currency)] : ['Dispute ended', 'plain'];
  }
  if (previous.amount_in !== undefined)
    return [ramp.direction === 'on' ? 'Money arrived' : 'Coins arrived', 'good', givenWords(ramp)];
  if (previous.failure !== undefined && failure !== null) return ['Delivery waits', 'warn', failure.message];
  if (previous.kyc_status !== undefined) return ['Identity check', 'busy', kycStates[kyc]?.[0] ?? kyc];
  return ['Changed', 'plain'];
}
