import * as settlementSchemas from '../../api/settlement.ts';
import type { OutboundPurpose } from '../outbound/outbound.ts';
import type { PayoutOwner } from '../payouts/payout-owner.ts';
import { attentionIn } from '../platform/db/attention.ts';
import type { Sweep } from '../platform/jobs/sweeper.ts';
import type { Gauge } from '../platform/metrics.ts';
import { defineModule, schemasIn } from '../platform/module.ts';
import { findOverdueConversions } from './conversions/conversion.store.ts';
import type { ConversionBegin } from './conversions/conversion-begin.service.ts';
import { fiatSweeps } from './fiat/fiat.jobs.ts';
import type { FiatDeps } from './fiat/fiat-deps.ts';
import { settlementOwner } from './fiat/outcome.service.ts';
import { createReschedule, type Reschedule } from './fiat/reschedule.service.ts';
import { registerSettlementRoutes } from './fiat/settlement.routes.ts';
import { findOpenTimes } from './fiat/settlement.store.ts';
import { settlementEvents } from './fiat/settlement.view.ts';

interface Deps extends FiatDeps {
  readonly money: {
    readonly settlement: {
      readonly sweeps: readonly Sweep[];
      readonly purposes: readonly OutboundPurpose[];
      readonly gauges: readonly Gauge[];
      readonly convert: ConversionBegin;
      readonly remarks: () => readonly string[];
    };
  };
}

/** Settlements of completed payments to their merchants: on Stellar, or in a currency by payouts. */
export const settlement = defineModule<
  Deps,
  {
    outbound: OutboundPurpose;
    payoutOwners: PayoutOwner;
    services: { onSettlementSchedule: Reschedule; openSettlementTimes: typeof findOpenTimes };
  }
>({
  name: 'settlement',
  provides: { onSettlementSchedule: createReschedule, openSettlementTimes: () => findOpenTimes },
  tables: ['treasury_clawbacks', 'treasury_cursors', 'settlements', 'settlement_conversions'],
  schemas: schemasIn(settlementSchemas),
  events: settlementEvents,
  tags: { Settlements: 'Payouts of completed payments to your bank account or wallet.' },
  outbound: ({ money }) => money.settlement.purposes,
  payoutOwners: () => [settlementOwner],
  routes: registerSettlementRoutes,
  attention: {
    settlements_without_route: attentionIn(
      'settlements',
      { status: ['open'], failure_code: ['no_route'] },
      '/v1/settlements?status=open',
    ),
    settlements_failed_payout: attentionIn('settlements', { status: ['failed'] }, '/v1/settlements?status=failed'),
    settlements_returned_payout: attentionIn(
      'settlements',
      { status: ['returned'] },
      '/v1/settlements?status=returned',
    ),
  },
  sweeps: deps => [...deps.money.settlement.sweeps, ...fiatSweeps(deps, deps.money.settlement.convert)],
  gauges: ({ money }) => money.settlement.gauges,
  overdue: { settlement_conversion: findOverdueConversions },
  remarks: ({ money }) => money.settlement.remarks(),
});
