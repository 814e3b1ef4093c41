import type { Domain } from '../../api/dashboard/domain.ts';
import { addSeconds } from '../../core/clock.ts';
import { defineMachine } from '../../core/machine.ts';
import type { DomainRow, FailureCode } from './tables.ts';

type DomainStatus = Domain['status'];

/**
 * The steps of a domain. A failed domain is checked again only on request. If that check fails, the domain is pending
 * for another seven days.
 */
export const domainMachine = defineMachine<DomainStatus>({
  pending: ['active', 'failed'],
  active: ['failed'],
  failed: ['active', 'pending'],
});

const [minute, hour, day] = [60, 3_600, 86_400];

/** Seconds of failing checks after which a domain fails. New DNS records may take days to appear. */
const patience = { pending: 7 * day, active: day } as const;

/** The columns that a check changes. */
export type CheckResult = Pick<
  DomainRow,
  'status' | 'failure' | 'failing_since' | 'verified_at' | 'checked_at' | 'check_at'
>;

/** The domain after a check. `failure` is null if the records are right. */
export function checkedDomain(row: DomainRow, failure: FailureCode | null, now: Date): CheckResult {
  if (failure === null) {
    const verified_at = row.verified_at ?? now;
    return {
      status: 'active',
      failure,
      failing_since: null,
      verified_at,
      checked_at: now,
      check_at: addSeconds(now, day),
    };
  }
  const checked = { failure, verified_at: row.verified_at, checked_at: now };
  // Silent name servers do not show that an active domain has moved.
  if (row.status === 'active' && failure === 'dns_unavailable') {
    return { ...checked, status: 'active', failing_since: row.failing_since, check_at: addSeconds(now, hour) };
  }
  const status = row.status === 'failed' ? 'pending' : row.status;
  const failing_since = row.status === 'failed' ? now : (row.failing_since ?? now);
  const seconds = (now.getTime() - failing_since.getTime()) / 1000;
  if (seconds >= patience[status]) return { ...checked, status: 'failed', failing_since, check_at: null };
  const pause = status === 'active' ? hour : Math.min(hour, Math.max(minute, seconds / 8));
  return { ...checked, status, failing_since, check_at: addSeconds(now, pause) };
}

/** When the first check of a new domain is due. */
export function firstCheckAt(now: Date): Date {
  return addSeconds(now, minute);
}
