import type { Db } from '../../platform/db/database.ts';
import type { Sweep } from '../../platform/jobs/sweeper.ts';
import type { Gauge } from '../../platform/metrics.ts';
import { countTroubled, type TroubledConversions } from './conversion.store.ts';

/** Reports conversions that failed and are not completed, to the operator. */
export function createConversionWatch(db: Db) {
  let troubled: readonly TroubledConversions[] = [];
  const sweep: Sweep = {
    name: 'settlements.conversions',
    everyMs: 60_000,
    run: async () => {
      troubled = await countTroubled(db);
      return 0;
    },
  };
  const gauge: Gauge = {
    name: 'pay_settlement_conversions_failing',
    help: 'Conversions of crypto into the stablecoin of the settlement currency that failed and are not completed.',
    label: 'reason',
    read: () => new Map(troubled.map(({ reason, count }) => [reason, count])),
  };
  return { sweep, gauge, remarks: () => troubled.map(remarkOn) };
}

function remarkOn({ reason, count, ended }: TroubledConversions): string {
  const conversions = count === 1 ? '1 conversion of crypto fails' : `${count} conversions of crypto fail`;
  const next = ended === 0 ? '' : `, ${ended} ${ended === 1 ? 'is' : 'are'} not tried again`;
  return `settlement: ${conversions} (${reason})${next}`;
}
