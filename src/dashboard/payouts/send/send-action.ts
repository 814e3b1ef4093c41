import { html } from 'lit';
import type { Balance } from '../../../api/balance/balance.ts';
import type { PayClient } from '../../../api/client.ts';
import type { CreatePayouts, PayoutBatch, PayoutDestination } from '../../../api/payout.ts';
import type { Recipient } from '../../../api/recipient.ts';
import type { SendKey } from '../../app/send-key.ts';
import type { Action } from '../../controls/action-dialog.ts';
import type { Effect } from '../../controls/dialog.ts';
import { moneyWords, timeWords } from '../../controls/values.ts';
import { availableOf, shortfalls } from '../batch-funds.ts';
import { scheduleWords } from '../batch-words.ts';
import { destinationKinds, destinationWords, unitWords } from '../payout-words.ts';

/** A payout that the service has checked but not stored. */
export interface CheckedOrder {
  readonly order: CreatePayouts;
  readonly check: PayoutBatch;
  readonly balance: Balance | null;
  readonly recipient: Recipient | null;
  readonly destination: PayoutDestination;
  /** The current rate: units of the asset for one unit of the currency. Null if nothing is converted. */
  readonly rate: string | null;
}

interface Sending {
  readonly client: PayClient;
  readonly key: SendKey;
  /** Called with the path of the page that shows the result, and with the toast's text. */
  readonly done: (path: string, sentence: string) => void;
}

/** Sends one payout after a table has shown its effect. */
export function sendAction({ client, key, done }: Sending, checked: CheckedOrder): Action {
  const { order, check, balance } = checked;
  const [payout] = order.payouts;
  const money = payout === undefined ? '' : moneyWords(payout.amount, payout.currency);
  const isShort = shortfalls(check, balance).length > 0;
  return {
    heading: 'Send money',
    effects: () => effectsOf(checked, money),
    note: noteOf(isShort, key.isDoubtful(order)),
    button: () => (isShort ? null : isHeld(check) ? `Reserve ${money}` : `Send ${money}`),
    run: async () => {
      const batch = await key.run(order, idempotencyKey => client.payouts.bulk(order, { idempotencyKey }));
      done(await resultOf(client, batch.id), accepted(check));
    },
  };
}

function accepted(check: PayoutBatch): string {
  if (check.status === 'awaiting_approval') return 'The payout waits for its approval';
  return isHeld(check) ? 'The payout waits on hold' : 'Payout accepted';
}

/** The path of the new payout's page. If the payout cannot be read now, the path of its batch. */
async function resultOf(client: PayClient, batchId: string): Promise<string> {
  try {
    const { data } = await client.payoutBatches.payouts(batchId, { limit: 1 });
    if (data[0] !== undefined) return `/payouts/${data[0].id}`;
  } catch {
    // The payout is accepted all the same. The page of the batch shows the error and a button that tries again.
  }
  return `/payouts/batches/${batchId}`;
}

function noteOf(isShort: boolean, isDoubtful: boolean): string {
  if (isShort) return 'Your available balance is too small for it.';
  if (isDoubtful) {
    return 'An earlier attempt had no answer, and may have been accepted. Look at your payouts before you send this one.';
  }
  return 'If the connection breaks, press again: the payout is made only once.';
}

function effectsOf({ order, check, balance, recipient, destination, rate }: CheckedOrder, money: string): Effect[] {
  const [payout] = order.payouts;
  const { reference = '', description = '' } = payout ?? {};
  return [
    ...(recipient === null ? [] : [{ what: 'Recipient', result: html`<bdi>${recipient.name}</bdi>` }]),
    { what: destinationKinds[destination.type], result: destinationWords(destination) },
    { what: 'Amount', result: money },
    ...check.totals.flatMap(({ currency, amount, fee }) => [
      {
        what: currency === payout?.currency ? 'Leaves your balance' : 'Leaves your balance, at most',
        result: unitWords(amount, currency),
      },
      { what: 'Fee', result: unitWords(fee, currency) },
      { what: 'Available now', result: unitWords(availableOf(balance, currency), currency) },
    ]),
    ...(rate === null || destination.type !== 'crypto_wallet'
      ? []
      : [{ what: 'Rate now', result: `1 ${payout?.currency} = ${rate} ${destination.asset.split(':')[0]}` }]),
    ...(check.holds ?? []).map(({ message }) => ({ what: 'Waits on hold', result: message })),
    ...(isHeld(check) ? [] : [{ what: 'Sent', result: sentWords(check) }]),
    ...(check.eta_at ? [{ what: 'Expected to arrive', result: timeWords(check.eta_at) }] : []),
    { what: 'Approval', result: check.status === 'awaiting_approval' ? 'A second person' : 'Not needed' },
    ...(reference === '' ? [] : [{ what: 'Reference', result: html`<bdi>${reference}</bdi>` }]),
    ...(description === '' ? [] : [{ what: 'Description', result: html`<bdi>${description}</bdi>` }]),
  ];
}

/** Whether the payout would wait on hold, because no rail can send it. */
const isHeld = ({ holds = [] }: PayoutBatch): boolean => holds.length > 0;

function sentWords(check: PayoutBatch): string {
  const isNow = check.schedule.type === 'immediate';
  if (check.status === 'awaiting_approval' && isNow) return 'After the approval';
  return check.schedule.type === 'scheduled' ? timeWords(check.schedule.at, 'full') : scheduleWords(check);
}
