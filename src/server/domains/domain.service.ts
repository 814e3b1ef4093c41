import type { Clock } from '../../core/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { claimDue } from '../platform/db/lease.ts';
import { runEach, type Sweep } from '../platform/jobs/sweeper.ts';
import { dueChecks, storeCheck } from './domain.store.ts';
import { checkDns, type DomainCheckDeps } from './domain-check.ts';
import type { DomainDirectory } from './domain-directory.ts';
import { warnOfFailing } from './domain-mail.ts';
import type { DomainRow, FailureCode } from './tables.ts';

export interface DomainSweepDeps extends DomainCheckDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly hosts: Pick<DomainDirectory, 'refresh'>;
}

const batchSize = 20;

/** Seconds for which a process holds a domain. This is longer than a check takes. */
const leaseSeconds = 60;

/** Stores a check and returns the result of `storeCheck`. Warns the merchant when an active domain begins to fail. */
export async function recordCheck(
  tx: Tx,
  deps: DomainSweepDeps,
  row: DomainRow,
  failure: FailureCode | null,
): Promise<DomainRow | null> {
  const now = deps.clock.now();
  const stored = await storeCheck(tx, row, failure, now);
  const begins = row.status === 'active' && row.failing_since === null;
  if (begins && stored !== null && stored.failing_since !== null) await warnOfFailing(tx, deps, stored, now);
  return stored;
}

/** Checks pending domains for seven days. Checks active domains daily, and hourly while their checks fail. */
export function domainSweep(deps: DomainSweepDeps): Sweep {
  const { db, clock } = deps;
  return {
    name: 'domains.check',
    due: [dueChecks],
    run: async () => {
      const rows = await claimDue<DomainRow>(db, dueChecks, { now: clock.now(), limit: batchSize, leaseSeconds });
      // The checks run in parallel, so that a silent name server delays no other domain.
      const checks = await Promise.all(rows.map(async row => ({ row, failure: await checkDns(deps, row) })));
      return await runEach(checks, async ({ row, failure }) => {
        await db.transaction().execute(tx => recordCheck(tx, deps, row, failure));
        await deps.hosts.refresh(row.merchant_id);
      });
    },
  };
}
