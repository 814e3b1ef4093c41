import { TopUp, type TopUpEvents } from '../../api/balance/top-up.ts';
import { PayError } from '../../core/error.ts';
import { newId } from '../../core/id.ts';
import { defineMachine } from '../../core/machine.ts';
import { unitText } from '../../core/unit.ts';
import { moneyToWire, unitToWire } from '../ledger/balance-money.ts';
import type { Resource } from '../platform/events/change.ts';
import { type EventDefinitions, type SampleContext, sampleEvents } from '../platform/events/sample.ts';
import type { Merchant } from '../platform/merchant.ts';
import type { BalanceMoveDeps } from './balance-deps.ts';
import type { TopUpRow } from './tables.ts';

/** The rails and chains that the wire form of a top-up describes. */
export interface TopUpContext extends Pick<BalanceMoveDeps, 'rails' | 'crypto'> {
  readonly merchant: Pick<Merchant, 'name'>;
}

/** States, steps and events of a top-up. */
export const topUpResource: Resource<TopUpRow, TopUpRow['status'], TopUpContext, TopUp> = {
  table: 'top_ups',
  machine: defineMachine<TopUpRow['status']>({ awaiting_funds: ['received'], received: [] }),
  stateOf: ({ status }) => status,
  columnsOf: status => ({ status }),
  illegalStep: ({ status }, to) => new PayError('illegal_state', `The top-up is ${status} and cannot become ${to}.`),
  // Each received transfer has its own event, so a change of the state has none.
  eventOf: () => undefined,
  toWire: topUpToWire,
  keepsTransitions: false,
};

export function topUpToWire(context: TopUpContext, row: TopUpRow): TopUp {
  const { currency, amount, amount_received: received } = row;
  const money = (of: bigint) => moneyToWire({ currency, amount: of }).amount;
  return {
    id: row.id,
    object: 'top_up',
    status: row.status,
    ...unitToWire(currency),
    amount: amount === null ? null : money(amount),
    amount_received: money(received),
    instructions: row.reference === null ? cryptoInstructions(context, row) : bankInstructions(context, row),
    metadata: row.metadata,
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
  };
}

function cryptoInstructions({ crypto, merchant }: TopUpContext, row: TopUpRow): TopUp['instructions'] {
  const chain = crypto.find(rail => rail.chain.id === row.rail && rail.livemode === row.livemode)?.chain;
  if (chain === undefined || row.account === null || row.tag === null) return null;
  const { amount, currency: asset } = row;
  const target = chain.receive.newTarget(row.account, row.tag);
  const uri = chain.receive.uri({ target, asset, amount, message: `Top-up of ${merchant.name}` });
  return {
    type: 'crypto_transfer',
    chain: chain.id,
    asset,
    address: target.address,
    base_address: target.baseAddress,
    memo: target.memo,
    memo_type: target.memoType,
    amount: amount === null ? null : unitText(amount, asset),
    uri,
    qr: { format: chain.receive.uriFormat, payload: uri },
  };
}

function bankInstructions({ rails, merchant }: TopUpContext, row: TopUpRow): TopUp['instructions'] {
  const { merchant_id: merchantId, reference, amount, currency } = row;
  const rail = rails.banks.find(({ id, livemode }) => id === row.rail && livemode === row.livemode);
  if (rail === undefined || reference === null) return null;
  const { rows, qr } = rail.instructions({ merchantId, payee: merchant.name, reference, amount });
  return {
    type: 'bank_instructions',
    rail: rail.id,
    fields: rows.map(field => ({ ...field })),
    reference,
    currency,
    amount: amount === null ? null : Number(amount),
    qr: qr === null ? null : { ...qr },
  };
}

const field = (name: string, label: string, value: string) => ({ name, label, value, copyable: true });

function sampleTopUp({ caller }: SampleContext): TopUp {
  return {
    id: newId('topUp'),
    object: 'top_up',
    status: 'awaiting_funds',
    currency: 'EUR',
    asset: null,
    amount: 100_000,
    amount_received: 0,
    instructions: {
      type: 'bank_instructions',
      rail: 'sepa',
      fields: [field('iban', 'IBAN', 'LT71 9990 0123 4567 8901'), field('reference', 'Reference', 'PAY 7K2M 9QXA')],
      reference: 'PAY 7K2M 9QXA',
      currency: 'EUR',
      amount: 100_000,
      qr: null,
    },
    metadata: {},
    livemode: caller.livemode,
    created_at: caller.now.toISOString(),
  };
}

/** Events of top-ups, with samples. */
export const topUpEvents: EventDefinitions<TopUpEvents> = sampleEvents(TopUp, sampleTopUp, {
  'top_up.created': () => ({}),
  'top_up.received': () => ({ status: 'received', amount_received: 100_000 }),
});
