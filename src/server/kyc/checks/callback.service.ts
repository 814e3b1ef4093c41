import { PayError } from '../../../core/error.ts';
import { merchantNow } from '../../platform/merchant.ts';
import { findKycOfCallback, makeCheckDue } from '../kyc.store.ts';
import type { KycDeps } from '../kyc-deps.ts';
import type { KycProvider, ProviderCallback } from '../provider.ts';
import type { KycRow } from '../tables.ts';
import { askProvider, bookOutcome, checkSweep } from './check.service.ts';

/**
 * Receives a provider's callback: asks the provider about the customer, and books its answer. Ignores repeated and late
 * callbacks, and those about a customer whom a person decided. Throws `resource_missing` for an unknown provider or
 * customer, `invalid_signature`, and `illegal_state` for an answer that takes a decision back.
 */
export async function receiveCallback(
  deps: KycDeps,
  providerId: string,
  headers: Readonly<Record<string, unknown>>,
  body: Buffer,
): Promise<void> {
  const { kycProvider: provider, clock } = deps;
  if (provider?.id !== providerId) throw unknown('No identity provider of this service has this name.');
  const callback = provider.verify(headers, body, clock.now());
  if (callback === null) {
    throw new PayError('invalid_signature', 'The callback is not signed by the provider, or too old.');
  }
  const row = await findRecord(deps, provider, callback);
  if (!row.submitted || !isNews(row, callback)) return;
  const now = merchantNow(await deps.findMerchant(row.merchant_id), row.livemode, clock.now());
  const outcome = await askProvider(deps, provider, row, now);
  if (outcome === null || outcome.state === 'unknown') {
    if (await makeCheckDue(deps.db, row, now)) deps.wake(checkSweep);
    return;
  }
  const set = { callback_id: callback.id, callback_at: callback.at };
  await bookOutcome(deps, row, provider, outcome, { now, set });
}

/** The record that the callback names. Throws `resource_missing` if it is not that of the provider's customer. */
async function findRecord(deps: KycDeps, { id, livemode }: KycProvider, callback: ProviderCallback): Promise<KycRow> {
  const key = deps.secrets.openRailToken(`kyc ${id}`, callback.subject, 'kyc');
  const row = key && (await findKycOfCallback(deps.db, key.merchantId, key.orderId));
  const isSame = callback.reference === null || callback.reference === row?.provider_reference;
  if (row?.provider === id && row.livemode === livemode && isSame) return row;
  throw unknown('The provider checks no customer of this name.');
}

/** Whether no newer callback was received, and not this one. Callbacks of one moment differ by their ids. */
function isNews({ callback_at: last, callback_id: lastId }: KycRow, { at, id }: ProviderCallback): boolean {
  return last === null || at > last || (at.getTime() === last.getTime() && id !== lastId);
}

function unknown(message: string): PayError {
  return new PayError('resource_missing', message);
}
