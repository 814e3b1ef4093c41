import type { Generated } from 'kysely';
import type { Moment, MomentOrNull } from '../platform/db/tables.ts';
import type { Role } from '../platform/http/access/roles.ts';

export interface PeopleTable {
  id: string;
  email: string | null;
  email_key: string | null;
  /** When the person used a mailed invitation or reset link for the current e-mail address. Null: unverified. */
  email_verified_at: MomentOrNull;
  name: string | null;
  password_hash: string | null;
  is_operator: Generated<boolean>;
  totp_secret: Buffer | null;
  totp_confirmed_at: MomentOrNull;
  totp_last_step: bigint | null;
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
  confirmed_at: MomentOrNull;
}

export interface PasskeysTable {
  id: string;
  person_id: string;
  credential_id: string;
  public_key: Buffer;
  counter: bigint;
  transports: string[];
  name: string;
  created_at: Moment;
  last_used_at: MomentOrNull;
}

interface KnownDevicesTable {
  hash: Buffer;
  person_id: string;
  seen_at: Moment;
}

interface SignInAttemptsTable {
  subject: Buffer;
  count: number;
  ends_at: Moment;
}

interface PasswordResetRequestsTable {
  id: string;
  email: string;
  created_at: Moment;
}

export interface InvitationsTable {
  merchant_id: string;
  id: string;
  email: string;
  email_key: string;
  role: Role;
  invited_by: string;
  created_at: Moment;
  expires_at: Moment;
}

export interface PersonActionsTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  person_id: string;
  action: string;
  method: string;
  path: string;
  status: number | null;
  network: string;
  user_agent: string;
  request_id: string;
  created_at: Moment;
}

declare module '../platform/db/tables.ts' {
  interface Tables {
    people: PeopleTable;
    memberships: MembershipsTable;
    person_sessions: PersonSessionsTable;
    recovery_codes: { person_id: string; hash: Buffer };
    passkeys: PasskeysTable;
    used_tokens: { hash: Buffer; expires_at: Moment };
    known_devices: KnownDevicesTable;
    sign_in_attempts: SignInAttemptsTable;
    password_reset_requests: PasswordResetRequestsTable;
    invitations: InvitationsTable;
    person_actions: PersonActionsTable;
  }
}
