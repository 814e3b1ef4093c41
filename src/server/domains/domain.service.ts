import type { Clock } from '../../core/clock.ts';
import type { Db } from '../platform/db/database.ts';
import { claimDue } from '../platform/db/lease.ts';
import { runEach, type Sweep } from '../platform/jobs/sweeper.ts';
import { dueChecks, storeCheck } from './domain.store.ts';
import { checkDns, type DomainCheckDeps } from './domain-check.ts';
import type { DomainDirectory } from './domain-directory.ts';
import type { DomainRow } from './tables.ts';

export interface DomainSweepDeps extends DomainCheckDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly hosts: Pick<DomainDirectory, 'refresh'>;
}

const batchSize = 20;

/** Longer than a check takes. */
const leaseSeconds = 60;

/** Checks the records of pending domains for some days, and those of active domains daily. */
export function domainSweep(deps: DomainSweepDeps): Sweep {
  const { db, clock } = deps;
  const check = async (row: DomainRow) => {
    const failure = await checkDns(deps, row);
    await db.transaction().execute(tx => storeCheck(tx, row, failure, clock.now()));
    await deps.hosts.refresh(row.merchant_id);
  };
  return {
    name: 'domains.check',
    everyMs: 15_000,
    run: async () => {
      const rows = await claimDue<DomainRow>(db, dueChecks, { now: clock.now(), limit: batchSize, leaseSeconds });
      return await runEach(rows, check);
    },
  };
}
