import { PayError } from '../../../core/error.ts';
import type { KycRow } from '../tables.ts';

/**
 * The session in which a customer gives data. `vouched`: the merchant's server says who the customer is. Otherwise a page
 * has only claimed an e-mail address.
 */
export interface KycSession {
  readonly id: string;
  readonly vouched: boolean;
}

/** Whether the session may see and change the identity check. Null: the merchant's own call. */
export function holds(session: KycSession | null, { begun_by: beginner }: Pick<KycRow, 'begun_by'>): boolean {
  return session === null || session.vouched || beginner === session.id;
}

/** The beginner of a check that the session begins: null if the merchant vouches for its customer. */
export function beginnerOf(session: KycSession | null): string | null {
  return session === null || session.vouched ? null : session.id;
}

/** Throws `operation_not_allowed` for a check of another session, unless the merchant vouches for the customer. */
export function assertHolds(session: KycSession | null, row: Pick<KycRow, 'begun_by'>): void {
  if (holds(session, row)) return;
  const message =
    'This customer has an identity check that another session began. Create the ramp on your server, which knows the customer.';
  throw new PayError('operation_not_allowed', message);
}
