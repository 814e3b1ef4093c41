import type { OutboundPurpose } from '../outbound/outbound.ts';
import type { Sweep } from '../platform/jobs/sweeper.ts';
import { defineModule } from '../platform/module.ts';

interface Deps {
  readonly money: {
    readonly settlement: {
      readonly sweeps: readonly Sweep[];
      readonly purpose: OutboundPurpose;
      readonly remarks: () => readonly string[];
    };
  };
}

/** Settlements of completed payments to their merchants. */
export const settlement = defineModule<Deps, { outbound: OutboundPurpose }>({
  name: 'settlement',
  tables: ['treasury_clawbacks', 'treasury_cursors'],
  outbound: ({ money }) => [money.settlement.purpose],
  sweeps: ({ money }) => money.settlement.sweeps,
  remarks: ({ money }) => money.settlement.remarks(),
});
