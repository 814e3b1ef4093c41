import type { CreateRecipient, UpdateRecipient } from '../../../api/recipient.ts';
import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { type Caller, scopeOf } from '../../platform/http/access/caller.ts';
import type { Once } from '../../platform/http/idempotency/idempotent-execution.ts';
import { assertEmail } from '../../platform/mail/mail.ts';
import type { MerchantScope } from '../../platform/merchant.ts';
import type { Rails } from '../../rails/rails.ts';
import type { Rates } from '../../rates/rates.ts';
import type { DestinationContext } from '../destinations/destination-context.ts';
import { insertRecipients, readRecipient, replaceDestinations, updateRecipients } from './recipient.store.ts';
import { checkDestinations, destinationRows, detailsOf, type RecipientRecord } from './recipient.ts';

export interface RecipientDeps {
  readonly db: Db;
  readonly once: Once;
  readonly rates: Rates;
  readonly rails: Pick<Rails, 'payouts'>;
  /** The service's Stellar account. */
  readonly ownAccount: string;
}

/** The network's assets and the connected providers, for checking destinations. */
export function destinationContext({
  rates,
  rails,
  ownAccount,
}: Pick<RecipientDeps, 'rates' | 'rails' | 'ownAccount'>): DestinationContext {
  const providers = rails.payouts.filter(({ type }) => type === 'mobile_money').map(({ id }) => id);
  return { assets: rates.asset, providers, ownAccount };
}

/** Checks a new recipient and returns its rows without writing them. Throws a PayError that names the wrong field. */
export function draftRecipient(deps: RecipientDeps, caller: Caller, body: CreateRecipient): RecipientRecord {
  assertDetails(body);
  const wanted = checkDestinations(body.destinations ?? [], destinationContext(deps));
  const recipient = newRecipient(scopeOf(caller), caller.now, body);
  return { recipient, destinations: destinationRows(recipient, [], wanted, null) };
}

/** The row of a new recipient with checked fields. */
export function newRecipient({ merchantId, livemode }: MerchantScope, now: Date, body: CreateRecipient) {
  const { name, type } = body;
  return {
    merchant_id: merchantId,
    id: newId('recipient'),
    livemode,
    name,
    email: null,
    type,
    country: null,
    reference: null,
    metadata: {},
    ...detailsOf(body),
    created_at: now,
    deleted_at: null,
  };
}

/** Inserts a recipient. Throws `duplicate_reference`. */
export async function createRecipient(tx: Tx, record: RecipientRecord): Promise<void> {
  await insertRecipients(tx, [record]);
}

/** Changes a recipient. Throws `resource_missing`, `duplicate_reference`, or a PayError that names the wrong field. */
export async function updateRecipient(
  deps: RecipientDeps,
  caller: Caller,
  id: string,
  body: UpdateRecipient,
): Promise<RecipientRecord> {
  assertDetails(body);
  const wanted = body.destinations && checkDestinations(body.destinations, destinationContext(deps));
  return await deps.db.transaction().execute(async tx => {
    const before = await readRecipient(tx, scopeOf(caller), id, 'lock');
    const recipient = { ...before.recipient, ...detailsOf(body) };
    await updateRecipients(tx, [recipient]);
    const { default_destination: chosen } = body;
    if (wanted === undefined && chosen === undefined) return { recipient, destinations: before.destinations };
    const all = wanted ?? before.destinations.map(row => row.destination);
    const destinations = destinationRows(recipient, before.destinations, all, chosen ?? null);
    await replaceDestinations(tx, recipient.merchant_id, [id], destinations);
    return { recipient, destinations };
  });
}

/** Deletes a recipient. The row stays, because payouts refer to it, but its reference becomes free. */
export async function deleteRecipient(deps: RecipientDeps, caller: Caller, id: string): Promise<void> {
  await deps.db.transaction().execute(async tx => {
    const { recipient } = await readRecipient(tx, scopeOf(caller), id, 'lock');
    await updateRecipients(tx, [{ ...recipient, deleted_at: caller.now }]);
  });
}

/** Rejects invalid email addresses and blank texts, which the schema does not detect. */
function assertDetails({ name, email, reference }: UpdateRecipient): void {
  if (email !== undefined && email !== null) assertEmail(email, 'email');
  for (const [param, text] of Object.entries({ name, reference })) {
    if (text?.trim() === '') throw new PayError('parameter_invalid', `${param} must not be empty.`, { param });
  }
}
