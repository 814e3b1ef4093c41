import type { Selectable } from 'kysely';
import type { Domain } from '../../api/dashboard/domain.ts';
import type { Moment, MomentOrNull } from '../platform/db/tables.ts';

/** Why a check failed. */
export type FailureCode = NonNullable<Domain['failure']>['code'];

export type DomainRow = Selectable<DomainsTable>;

interface DomainsTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  name: string;
  status: Domain['status'];
  failure: FailureCode | null;
  failing_since: MomentOrNull;
  verified_at: MomentOrNull;
  checked_at: MomentOrNull;
  check_at: MomentOrNull;
  created_at: Moment;
}

declare module '../platform/db/tables.ts' {
  interface Tables {
    domains: DomainsTable;
  }
}
