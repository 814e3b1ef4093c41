import type { PayClient } from '../../api/client.ts';
import type { Action, ActionButton } from '../controls/action-dialog.ts';
import type { Effect } from '../controls/dialog.ts';
import { counted, type StoredBatch, scheduleWords, totalsWords } from './batch-words.ts';
import { unitWords } from './payout-words.ts';

/** The input of a batch's actions. `done` gets the batch from the service's answer, and the words of the toast. */
interface Acting {
  readonly client: PayClient;
  readonly batch: StoredBatch;
  /** The id of the signed-in person. */
  readonly personId: string;
  readonly done: (batch: StoredBatch, sentence: string) => void;
}

/** Whether the batch waits for another person's approval, because this person created it. */
export const isOwnToApprove = ({ status, approval }: StoredBatch, personId: string): boolean =>
  status === 'awaiting_approval' && approval?.created_by === personId;

/** The actions that the states of the batch and its payouts allow. */
export function batchActions(acting: Acting): readonly (ActionButton | false)[] {
  const { batch, personId } = acting;
  const { status, statuses } = batch;
  const of = (...names: readonly string[]) => names.reduce((sum, name) => sum + (statuses?.[name] ?? 0), 0);
  const [waiting, held, failed] = [of('scheduled', 'queued'), of('on_hold'), of('failed')];
  const isRecurring = batch.schedule.type === 'recurring' && ['scheduled', 'awaiting_approval'].includes(status);
  const mayApprove = status === 'awaiting_approval' && !isOwnToApprove(batch, personId);
  const cancelled = isRecurring ? futureRuns : shares(batch, waiting + held, 'Go back to your available balance');
  return [
    (waiting + held > 0 || isRecurring) && {
      label: 'Cancel',
      style: 'second',
      start: () => step(acting, 'cancel', 'Cancel the batch', cancelled),
    },
    waiting > 0 && {
      label: 'Hold',
      style: 'second',
      start: () => step(acting, 'hold', 'Hold the batch', shares(batch, waiting, 'Stay reserved until you send them')),
    },
    held > 0 && {
      label: 'Send those on hold',
      style: 'main',
      start: () => resume(acting, held),
    },
    failed > 0 && {
      label: 'Retry failed payouts',
      style: 'main',
      start: () => step(acting, 'retry', 'Retry failed payouts', shares(batch, failed, 'Are reserved and sent again')),
    },
    mayApprove && { label: 'Approve', style: 'main', start: () => approve(acting) },
  ];
}

type Step = 'cancel' | 'hold' | 'retry';

const told: Readonly<Record<Step, string>> = {
  cancel: 'Canceled what had not been sent',
  hold: 'On hold',
  retry: 'On their way again',
};

/** The effect of cancelling a recurring batch. Its payouts belong to the batches of its runs. */
const futureRuns: readonly Effect[] = [
  { what: 'Future runs', result: 'None' },
  { what: 'Batches already made', result: 'Stay as they are' },
];

/** The effect on `count` payouts of the batch. The other payouts do not change. */
function shares({ counts }: StoredBatch, count: number, fate: string): readonly Effect[] {
  const rest = counts.accepted - count;
  return [
    { what: counted(count, 'payout'), result: fate },
    ...(rest > 0 ? [{ what: counted(rest, 'other payout'), result: 'No change' }] : []),
  ];
}

function step({ client, batch, done }: Acting, name: Step, heading: string, effects: readonly Effect[]): Action {
  return {
    heading,
    isDangerous: name === 'cancel',
    effects: () => effects,
    button: () => heading,
    run: async (_, idempotencyKey) => done(await client.payoutBatches[name](batch.id, { idempotencyKey }), told[name]),
  };
}

/** Sends the payouts on hold. The service leaves those on hold for which it has no rail or no rate. */
function resume({ client, batch, done }: Acting, held: number): Action {
  return {
    heading: 'Send those on hold',
    effects: () => [
      ...shares(batch, held, 'Are sent at the current rates'),
      { what: 'Payouts without a connected rail or a rate', result: 'Stay on hold' },
    ],
    button: () => 'Send those on hold',
    run: async (_, idempotencyKey) => {
      const after = await client.payoutBatches.resume(batch.id, { idempotencyKey });
      const staying = after.statuses?.['on_hold'] ?? 0;
      const sentence = `${counted(held - staying, 'payout')} on the way, ${staying.toLocaleString('en')} still on hold`;
      done(after, staying === 0 ? 'On their way' : sentence);
    },
  };
}

/** The debits of the balance, row by row: amounts and fees of each currency. */
export function totalEffects({ totals }: Pick<StoredBatch, 'totals'>): Effect[] {
  return totals.flatMap(({ currency, amount, fee, count }) => [
    { what: counted(count, 'payout'), result: unitWords(amount, currency) },
    { what: `Fees in ${currency.split(':')[0]}`, result: unitWords(fee, currency) },
  ]);
}

function approve({ client, batch, done }: Acting): Action {
  return {
    heading: 'Approve the batch',
    effects: () => [...totalEffects(batch), { what: 'Sent', result: scheduleWords(batch) }],
    note: 'Money that was sent cannot be called back.',
    button: () => `Approve ${totalsWords(batch)}`,
    run: async (_, idempotencyKey) =>
      done(await client.payoutBatches.approve(batch.id, { idempotencyKey }), 'Batch approved'),
  };
}
