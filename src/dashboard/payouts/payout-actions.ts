import type { PayClient } from '../../api/client.ts';
import type { Payout } from '../../api/payout.ts';
import type { Action, ActionButton } from '../controls/action-dialog.ts';
import type { Effect } from '../controls/dialog.ts';
import { moneyWords } from '../controls/values.ts';
import { debitWords, destinationWords, unitWords } from './payout-words.ts';

/** The input of a payout's actions. `done` gets the payout from the service's answer, and the words of the toast. */
interface Acting {
  readonly client: PayClient;
  readonly payout: Payout;
  readonly done: (payout: Payout, sentence: string) => void;
}

/** The actions that the state of a payout allows. */
export function payoutActions(acting: Acting): readonly (ActionButton | false)[] {
  const { status, trace, settlement } = acting.payout;
  const waits = status === 'scheduled' || status === 'queued';
  return [
    (waits || status === 'on_hold') && { label: 'Cancel payout', style: 'second', start: () => cancel(acting) },
    waits && { label: 'Hold', style: 'second', start: () => hold(acting) },
    // A payout without a rail cannot be sent.
    status === 'on_hold' && trace.rail !== null && { label: 'Send now', style: 'main', start: () => resume(acting) },
    // A settlement sends its money again itself, on its own page.
    status === 'failed' && settlement === null && { label: 'Send again', style: 'main', start: () => retry(acting) },
  ];
}

const target = ({ destination }: Payout): Effect => ({ what: 'To', result: destinationWords(destination) });

function feeOf({ fee }: Payout): Effect[] {
  return fee.amount === 0 ? [] : [{ what: 'Fee', result: unitWords(fee.amount, fee.currency) }];
}

function cancel({ client, payout, done }: Acting): Action {
  return {
    heading: 'Cancel payout',
    isDangerous: true,
    effects: () => [
      target(payout),
      { what: 'The recipient', result: 'Gets nothing' },
      { what: 'Back to your available balance', result: debitWords(payout) },
    ],
    button: () => 'Cancel payout',
    run: async (_, idempotencyKey) =>
      done(await client.payouts.cancel(payout.id, { idempotencyKey }), 'Payout canceled'),
  };
}

function hold({ client, payout, done }: Acting): Action {
  return {
    heading: 'Hold payout',
    effects: () => [
      target(payout),
      { what: 'Stays reserved', result: debitWords(payout) },
      { what: 'Sent', result: 'Not before you send it' },
    ],
    button: () => 'Hold payout',
    run: async (_, idempotencyKey) => done(await client.payouts.hold(payout.id, { idempotencyKey }), 'Payout on hold'),
  };
}

function resume({ client, payout, done }: Acting): Action {
  return {
    heading: 'Send payout',
    effects: () => [
      target(payout),
      { what: 'Amount', result: moneyWords(payout.amount, payout.currency) },
      { what: 'Reserved so far', result: debitWords(payout) },
      ...feeOf(payout),
      ...(payout.fx === null ? [] : [{ what: 'Rate', result: 'The current one; a difference is reserved too' }]),
    ],
    button: () => `Send ${moneyWords(payout.amount, payout.currency)}`,
    run: async (_, idempotencyKey) =>
      done(await client.payouts.resume(payout.id, { idempotencyKey }), 'Payout on its way'),
  };
}

function retry({ client, payout, done }: Acting): Action {
  return {
    heading: 'Send again',
    effects: () => [
      target(payout),
      { what: 'Failed because', result: payout.failure?.message ?? 'No reason was given' },
      { what: 'Leaves your available balance', result: debitWords(payout) },
      ...feeOf(payout),
      { what: 'Attempt', result: String(payout.attempt + 1) },
    ],
    ...(payout.fx !== null && { note: 'The rate is the one of the moment when it is sent again.' }),
    button: () => `Send ${moneyWords(payout.amount, payout.currency)} again`,
    run: async (_, idempotencyKey) =>
      done(await client.payouts.retry(payout.id, { idempotencyKey }), 'Payout on its way again'),
  };
}
