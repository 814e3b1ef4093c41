import type { Generated } from 'kysely';
import type { Moment, MomentOrNull } from '../platform/db/tables.ts';
import type { Role } from '../platform/http/access/roles.ts';

export interface PeopleTable {
  id: string;
  email: string | null;
  email_key: string | null;
  name: string | null;
  password_hash: string | null;
  is_operator: Generated<boolean>;
  created_at: Moment;
}

export interface MembershipsTable {
  merchant_id: string;
  person_id: string;
  role: Role;
  created_at: Moment;
  last_seen_at: MomentOrNull;
}

export interface PersonSessionsTable {
  id: string;
  hash: Buffer;
  person_id: string;
  network: string;
  user_agent: string;
  created_at: Moment;
  last_seen_at: Moment;
  expires_at: Moment;
}

declare module '../platform/db/tables.ts' {
  interface Tables {
    people: PeopleTable;
    memberships: MembershipsTable;
    person_sessions: PersonSessionsTable;
  }
}
