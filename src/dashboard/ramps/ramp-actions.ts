import type { PayClient } from '../../api/client.ts';
import { destinationText } from '../../api/payout.ts';
import type { Ramp, RampStatus } from '../../api/ramps/ramp.ts';
import type { Action, ActionButton } from '../controls/action-dialog.ts';
import type { Effect } from '../controls/dialog.ts';
import { moneyWords, shortenedWords } from '../controls/values.ts';
import { refundForm } from '../payments/payment-actions.ts';
import { methods } from '../payments/payment-states.ts';
import { codeOf, coinsWords, keptOf, priceWords, rampMoneyWords } from './ramp-words.ts';

/** The input of a ramp's actions. `done` gets the sentence for the toast. */
interface Acting {
  readonly client: PayClient;
  readonly ramp: Ramp;
  readonly done: (sentence: string) => void;
}

/** The states with money, and without coins on their way. */
const refundable: readonly RampStatus[] = ['pending_anchor', 'pending_trust', 'on_hold'];

/** The actions that the state of a ramp allows. */
export function rampActions(acting: Acting): readonly (ActionButton | false)[] {
  const { ramp } = acting;
  const { status, kyc_status: kyc } = ramp;
  // Money that came late, or too little money, is not refunded: its payment has not counted it.
  const isUncounted = status === 'on_hold' && ramp.paid_at === null;
  const isUnpaid = status === 'incomplete' || status === 'pending_user_transfer_start';
  return [
    isUnpaid && { label: 'Cancel', style: 'second', start: () => cancelAction(acting) },
    isUncounted && { label: 'Send back', style: 'second', start: () => sendBackAction(acting) },
    refundable.includes(status) &&
      !isUncounted &&
      keptOf(ramp) > 0 && { label: 'Refund', style: 'second', start: () => refundAction(acting) },
    // Money of a rejected customer can only go back.
    status === 'on_hold' &&
      kyc !== 'rejected' && {
        label: 'Accept at the market rate',
        style: 'main',
        start: () => acceptAction(acting),
      },
  ];
}

function cancelAction({ client, ramp, done }: Acting): Action {
  return {
    heading: 'Cancel ramp',
    isDangerous: true,
    effects: () => [
      { what: 'The customer', result: 'Can no longer pay' },
      ...(ramp.payment === null || ramp.direction === 'off'
        ? []
        : [{ what: 'Reserved coins', result: `${coinsWords(ramp)} are free again` }]),
    ],
    button: () => 'Cancel ramp',
    run: async (_, idempotencyKey) => {
      await client.ramps.cancel(ramp.id, { idempotencyKey });
      done('Ramp canceled');
    },
  };
}

function acceptAction({ client, ramp, done }: Acting): Action {
  const { wallet, payout_destination: destination, asset, fiat_currency: currency } = ramp;
  const heading = ramp.direction === 'on' ? 'Accept at the market rate' : 'Pay out';
  return {
    heading,
    effects: () =>
      destination === null
        ? [
            { what: 'The money', result: moneyWords(keptOf(ramp), currency) },
            { what: 'Buys', result: `${codeOf(asset)} at the market rate of now` },
            { what: 'Old price', result: priceWords(ramp) },
            { what: 'To the wallet', result: shortenedWords(wallet?.address ?? '') },
          ]
        : [
            { what: 'Paid out', result: rampMoneyWords(ramp) },
            { what: 'To', result: destinationText(destination) },
          ],
    note: 'The fee of the ramp stays in force. What was delivered cannot be taken back.',
    button: () => heading,
    run: async (_, idempotencyKey) => {
      await client.ramps.accept(ramp.id, { idempotencyKey });
      done('Ramp accepted');
    },
  };
}

function sendBackAction({ client, ramp, done }: Acting): Action {
  return {
    heading: 'Send the money back',
    effects: () => [
      { what: 'Why it waits', result: ramp.failure?.message ?? 'It waits for your decision' },
      { what: 'Goes back to its sender', result: 'All of it' },
    ],
    button: () => 'Send back',
    run: async (_, idempotencyKey) => {
      await client.payments.resolve(ramp.payment ?? '', { action: 'refund' }, { idempotencyKey });
      done('Money goes back');
    },
  };
}

function refundAction({ client, ramp, done }: Acting): Action {
  const most = keptOf(ramp);
  return refundForm({
    currency: ramp.fiat_currency,
    most,
    effects: amount => refundEffects(ramp, amount, most),
    refund: (body, idempotencyKey) => client.ramps.refund(ramp.id, body, { idempotencyKey }),
    done,
  });
}

function refundEffects(
  { direction, method, fiat_currency: currency, asset }: Ramp,
  amount: number | null,
  most: number,
): Effect[] {
  const rest = amount === null ? null : most - amount;
  const left = rest === null ? '…' : rest === 0 ? 'Nothing: the ramp ends' : moneyWords(rest, currency);
  return [
    { what: 'Goes back to the customer', result: amount === null ? '…' : moneyWords(amount, currency) },
    { what: 'By', result: methods[direction === 'on' ? method : 'crypto'] },
    { what: direction === 'on' ? `Still buys ${codeOf(asset)}` : 'Is still paid out, with the fee', result: left },
  ];
}
