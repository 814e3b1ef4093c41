import { Withdrawal, type WithdrawalEvents } from '../../api/balance/withdrawal.ts';
import { PayError } from '../../core/error.ts';
import { newId } from '../../core/id.ts';
import { defineMachine } from '../../core/machine.ts';
import { unitText } from '../../core/unit.ts';
import { moneyToWire, unitToWire } from '../ledger/balance-money.ts';
import type { Resource } from '../platform/events/change.ts';
import { type EventDefinitions, type SampleContext, sampleEvents } from '../platform/events/sample.ts';
import type { WithdrawalRow } from './tables.ts';

/** States, steps and events of a withdrawal. */
export const withdrawalResource: Resource<WithdrawalRow, WithdrawalRow['status'], null, Withdrawal> = {
  table: 'withdrawals',
  machine: defineMachine<WithdrawalRow['status']>({
    awaiting_approval: ['pending', 'failed'],
    pending: ['completed', 'failed'],
    completed: [],
    failed: [],
  }),
  stateOf: ({ status }) => status,
  columnsOf: status => ({ status }),
  illegalStep: ({ status }, to) =>
    new PayError('illegal_state', `The withdrawal is ${status} and cannot become ${to}.`),
  eventOf: (_from, to) => {
    if (to === 'pending') return 'withdrawal.approved';
    return to === 'completed' ? 'withdrawal.completed' : 'withdrawal.failed';
  },
  toWire: (_context, row) => withdrawalToWire(row),
  keepsTransitions: false,
};

export function withdrawalToWire(row: WithdrawalRow): Withdrawal {
  const { currency, amount, destination, failure_code: code } = row;
  return {
    id: row.id,
    object: 'withdrawal',
    status: row.status,
    amount: moneyToWire({ currency, amount }).amount,
    ...unitToWire(currency),
    paid: { asset: row.paid_asset, amount: unitText(row.paid_amount, row.paid_asset) },
    destination: {
      address: destination['address'] ?? '',
      memo: destination['memo'] ?? null,
      memo_type: destination['memo_type'] ?? null,
    },
    delivery: row.delivery,
    tx_hash: row.tx_hash,
    ledger: row.ledger,
    failure: code === null ? null : { code, message: row.failure_message ?? '' },
    metadata: row.metadata,
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
    completed_at: row.completed_at?.toISOString() ?? null,
  };
}

function sampleWithdrawal({ caller }: SampleContext): Withdrawal {
  return {
    id: newId('withdrawal'),
    object: 'withdrawal',
    status: 'pending',
    amount: 50_000,
    currency: 'EUR',
    asset: null,
    paid: { asset: 'USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN', amount: '545.0000000' },
    destination: {
      address: 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
      memo: null,
      memo_type: null,
    },
    delivery: 'payment',
    tx_hash: null,
    ledger: null,
    failure: null,
    metadata: {},
    livemode: caller.livemode,
    created_at: caller.now.toISOString(),
    completed_at: null,
  };
}

const sampleWaiting = (context: SampleContext): Withdrawal => ({
  ...sampleWithdrawal(context),
  status: 'awaiting_approval',
});

export const withdrawalEvents: EventDefinitions<WithdrawalEvents> = {
  ...sampleEvents(Withdrawal, sampleWaiting, { 'withdrawal.approved': () => ({ status: 'pending' }) }),
  ...sampleEvents(Withdrawal, sampleWithdrawal, {
    'withdrawal.created': () => ({}),
    'withdrawal.completed': now => ({
      status: 'completed',
      tx_hash: '3389e9f0f1a65f19736cacf544c2e825313e8447f569233bb8db39aa607c8889',
      ledger: 1_000_000,
      completed_at: now.toISOString(),
    }),
    'withdrawal.failed': now => ({
      status: 'failed',
      failure: { code: 'account_limit_reached', message: 'The account cannot hold that much of the asset.' },
      completed_at: now.toISOString(),
    }),
  }),
};
