import type { PayClient } from '../../../api/client.ts';
import type { RecurringInvoice } from '../../../api/invoice/recurring.ts';
import type { Action } from '../../controls/action-dialog.ts';
import { timeWords } from '../../controls/values.ts';
import { receiverOf } from './recurring-words.ts';
import { ruleWords } from './schedule.ts';

/** The data and functions that the actions of a schedule need. `done` gets the sentence for the toast. */
export interface Acting {
  readonly client: PayClient;
  readonly recurring: RecurringInvoice;
  readonly done: (sentence: string) => void;
}

const standing = (recurring: RecurringInvoice) => ({
  what: 'Schedule',
  result: `${ruleWords(recurring.rrule)}, for ${receiverOf(recurring)}`,
});

/** Stops new invoices until the schedule is resumed. */
export const pauseAction = ({ client, recurring, done }: Acting): Action => ({
  heading: 'Pause this schedule?',
  effects: () => [
    standing(recurring),
    { what: 'Until you resume it', result: 'no invoice is made' },
    { what: 'Days of the pause', result: 'are skipped, also afterwards' },
  ],
  button: () => 'Pause',
  run: async (_, idempotencyKey) => {
    await client.recurringInvoices.pause(recurring.id, { idempotencyKey });
    done('Schedule paused');
  },
});

/** Continues a paused schedule from today. */
export const resumeAction = ({ client, recurring, done }: Acting): Action => ({
  heading: 'Resume this schedule?',
  effects: () => [
    standing(recurring),
    { what: 'Goes on', result: 'with the next day of its rule from today' },
    { what: 'Days of the pause', result: 'stay without an invoice' },
  ],
  button: () => 'Resume',
  run: async (_, idempotencyKey) => {
    const { next_on: day } = await client.recurringInvoices.resume(recurring.id, { idempotencyKey });
    done(day === null ? 'Schedule ended: no day is left' : `Next invoice on ${timeWords(`${day}T12:00:00`, 'day')}`);
  },
});

/** Ends a schedule for good. */
export const endAction = ({ client, recurring, done }: Acting): Action => ({
  heading: 'End this schedule?',
  effects: () => [
    standing(recurring),
    { what: 'New invoices', result: 'none any more' },
    { what: 'Invoices so far', result: 'stay as they are' },
    { what: 'Afterwards', result: 'it cannot be started again' },
  ],
  button: () => 'End it',
  isDangerous: true,
  run: async (_, idempotencyKey) => {
    await client.recurringInvoices.end(recurring.id, { idempotencyKey });
    done('Schedule ended');
  },
});
