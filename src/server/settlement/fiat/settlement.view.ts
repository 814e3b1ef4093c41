import { Settlement, type SettlementEvents, type SettlementPayout } from '../../../api/settlement.ts';
import { newId } from '../../../core/id.ts';
import type { OwnedPayouts } from '../../payouts/owned/owned-payout.service.ts';
import type { Executor } from '../../platform/db/database.ts';
import { type EventDefinitions, type SampleContext, sampleEvents } from '../../platform/events/sample.ts';
import { settlementToWire } from './settlement.ts';
import type { SettlementRow } from './tables.ts';

interface ViewDeps {
  readonly ownedPayouts: Pick<OwnedPayouts, 'find'>;
}

type PayoutRow = NonNullable<ReturnType<Awaited<ReturnType<OwnedPayouts['find']>>['get']>>[number];

/** Settlements of one merchant in the form of answers, each with all its payouts. One query for all. */
export async function settlementsToWire(
  { ownedPayouts }: ViewDeps,
  db: Executor,
  rows: readonly SettlementRow[],
): Promise<Settlement[]> {
  const [first] = rows;
  if (first === undefined) return [];
  const ids = rows.map(({ id }) => id);
  const payouts = await ownedPayouts.find(db, first.merchant_id, ids);
  return rows.map(row => ({ ...settlementToWire(row), payouts: (payouts.get(row.id) ?? []).map(payoutToWire) }));
}

/** One settlement in the form of answers. */
export async function answerOf(deps: ViewDeps, db: Executor, row: SettlementRow): Promise<Settlement> {
  const [settlement = settlementToWire(row)] = await settlementsToWire(deps, db, [row]);
  return settlement;
}

function payoutToWire(row: PayoutRow): SettlementPayout {
  const { id, status, amount, failure_code: code, failure_message: message } = row;
  return {
    id,
    status,
    amount: Number(amount),
    failure: code === null ? null : { code, message: message ?? '' },
    created_at: row.created_at.toISOString(),
    completed_at: row.completed_at?.toISOString() ?? null,
  };
}

function sampleSettlement({ caller }: SampleContext): Settlement {
  const at = caller.now.toISOString();
  return {
    id: newId('settlement'),
    object: 'settlement',
    status: 'returned',
    batch: 'daily',
    currency: 'EUR',
    amount: 118_40,
    gross: 128_40,
    deducted: 10_00,
    carried: 0,
    payments: 12,
    destination: { type: 'bank_account', iban: 'DE89370400440532013000', account_holder: 'Ada Lovelace' },
    payout: newId('payout'),
    scheduled_at: null,
    failure: { code: 'account_closed', message: 'The account is closed.' },
    livemode: caller.livemode,
    created_at: at,
    closed_at: at,
    paid_at: at,
  };
}

export const settlementEvents: EventDefinitions<SettlementEvents> = sampleEvents(Settlement, sampleSettlement, {
  'settlement.kept': () => ({ status: 'kept', failure: null }),
});
