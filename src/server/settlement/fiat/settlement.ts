import { DateTime } from 'luxon';
import type { Settlement, SettlementStatus } from '../../../api/settlement.ts';
import { addDays } from '../../../core/calendar.ts';
import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import { defineMachine } from '../../../core/machine.ts';
import type { DirectRoute } from '../../payouts/owned/direct-route.ts';
import type { Resource } from '../../platform/events/change.ts';
import { dayIn, momentOfDay } from '../../platform/local-day.ts';
import type { Merchant, MerchantScope } from '../../platform/merchant.ts';
import type { SettlementRow } from './tables.ts';

/** The states of a settlement. Only a person sends a failed or returned one again, or keeps its money in the balance. */
const settlementMachine = defineMachine<SettlementStatus>({
  open: ['paying', 'paid', 'kept'],
  paying: ['paid', 'failed'],
  paid: ['returned'],
  failed: ['paying', 'kept'],
  returned: ['paying', 'kept'],
  kept: [],
});

/** States and steps of a settlement. Its payments and its payouts have the events of the other steps. */
export const settlementResource: Resource<SettlementRow, SettlementStatus, null, Settlement> = {
  table: 'settlements',
  machine: settlementMachine,
  stateOf: ({ status }) => status,
  columnsOf: status => ({ status }),
  illegalStep: ({ status }, to) =>
    new PayError('illegal_state', `The settlement is ${status} and cannot become ${to}.`),
  eventOf: (_, to) => (to === 'kept' ? 'settlement.kept' : undefined),
  toWire: (_context, row) => settlementToWire(row),
  keepsTransitions: false,
};

/** What a settlement pays out, in minor units. */
export function amountOf({ gross, deducted, carried }: Pick<SettlementRow, 'gross' | 'deducted' | 'carried'>): bigint {
  return gross - deducted + carried;
}

/** What one payout of the rail pays of the amount: whole steps, at most its largest. Null: less than its least. */
export function payableOf(
  amount: bigint,
  { step, least, most }: Pick<DirectRoute, 'step' | 'least' | 'most'>,
): bigint | null {
  const within = most !== null && most < amount ? most : amount;
  const payable = within - (within % step);
  return payable < least ? null : payable;
}

/** A new settlement without payments. */
export function newSettlement(
  { merchantId, livemode }: MerchantScope,
  fields: Pick<SettlementRow, 'batch' | 'currency' | 'scheduled_at'> & Partial<SettlementRow>,
  now: Date,
): SettlementRow {
  return {
    merchant_id: merchantId,
    id: newId('settlement'),
    livemode,
    status: 'open',
    gross: 0n,
    deducted: 0n,
    carried: 0n,
    payments: 0,
    destination: null,
    payout_id: null,
    failure_code: null,
    failure_message: null,
    due_at: fields.scheduled_at,
    marked_after: null,
    event_sequence: 0,
    version: 0,
    created_at: now,
    closed_at: null,
    paid_at: null,
    ...fields,
  };
}

type Hour = Pick<Merchant, 'settlementHour' | 'timezone'>;

/** The most days without a bank day, with room to spare. */
const mostClosedDays = 14;

/** The next moment after `now` at the account's hour, on a day on which the rail pays. */
export function nextClose({ settlementHour, timezone }: Hour, paysOn: (day: string) => boolean, now: Date): Date {
  const time = `${String(settlementHour).padStart(2, '0')}:00`;
  const today = dayIn(timezone, now);
  const days = Array.from({ length: mostClosedDays }, (_, count) => addDays(today, count));
  const moments = days.filter(paysOn).map(day => momentOfDay(timezone, day, time));
  return moments.find(moment => moment > now) ?? DateTime.fromJSDate(now).plus({ days: 1 }).toJSDate();
}

/** The settlement in its wire form, as events carry it. */
export function settlementToWire(row: SettlementRow): Settlement {
  const { failure_code: code, failure_message: message } = row;
  return {
    id: row.id,
    object: 'settlement',
    status: row.status,
    batch: row.batch,
    currency: row.currency,
    amount: Number(amountOf(row)),
    gross: Number(row.gross),
    deducted: Number(row.deducted),
    carried: Number(row.carried),
    payments: row.payments,
    destination: row.destination,
    payout: row.payout_id,
    scheduled_at: row.scheduled_at?.toISOString() ?? null,
    failure: code === null ? null : { code, message: message ?? '' },
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
    closed_at: row.closed_at?.toISOString() ?? null,
    paid_at: row.paid_at?.toISOString() ?? null,
  };
}
