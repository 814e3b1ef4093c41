import type { ApiKey, CreateApiKey } from '../../api/merchant.ts';
import { PayError } from '../../core/error.ts';
import { hasScope, isScope } from '../platform/http/access/caller.ts';
import type { MerchantScope } from '../platform/merchant.ts';
import { type ApiKeyRow, newApiKey, newKeyText } from './api-key.store.ts';

/** The merchant and mode of a new key, and the scopes that the key may get. */
export interface KeyOwner extends MerchantScope {
  readonly scopes: readonly string[];
  /** The person who makes the key, also by means of another key. Null: the machine or an owner. */
  readonly personId: string | null;
  readonly now: Date;
}

/** The key in its wire form. Only a new key has `text`. */
export function apiKeyToWire(key: ApiKeyRow, text?: string): ApiKey {
  const { id, type, name, hint, scopes, api_version, livemode, created_by } = key;
  const made = text !== undefined && { key: text };
  const created_at = key.created_at.toISOString();
  return { id, object: 'api_key', type, name, ...made, hint, scopes, api_version, livemode, created_by, created_at };
}

/** Throws `resource_missing` or `last_key` if `revokeApiKey` has not revoked the key. */
export function assertRevoked(outcome: 'revoked' | 'missing' | 'last'): void {
  if (outcome === 'missing') throw noSuchKey();
  if (outcome === 'last') {
    throw new PayError('last_key', 'This is the last secret key of its mode. Create another one first.');
  }
}

export function noSuchKey(): PayError {
  return new PayError('resource_missing', 'There is no API key with this id.', { param: 'id' });
}

/**
 * Drafts a new key in its owner's mode. A secret key gets at most the scopes that its owner may give. Throws
 * `operation_not_allowed` or `parameter_invalid`.
 */
export function draftKey(
  owner: KeyOwner,
  body: CreateApiKey,
  families: readonly string[],
): { key: ApiKeyRow; text: string } {
  const { livemode, merchantId, personId, now } = owner;
  if (body.livemode !== undefined && body.livemode !== livemode) {
    throw new PayError('operation_not_allowed', 'Use a key of the same mode as the new key.', {
      param: 'livemode',
    });
  }
  const { type, name = null } = body;
  const scopes = type === 'publishable' ? ['*'] : (body.scopes ?? ['*']);
  assertScopes(families, scopes);
  const missing = type === 'secret' ? scopes.find(scope => !hasScope(owner.scopes, scope)) : undefined;
  if (missing !== undefined) {
    const message =
      missing === '*'
        ? 'Your key or role cannot give all scopes to a key. Name the scopes that the new key needs.'
        : `Your key or role cannot give the scope ${missing} to a key.`;
    throw new PayError('operation_not_allowed', message, { param: 'scopes' });
  }
  const text = newKeyText(type, livemode);
  const made = { created_by: personId, created_at: now };
  return { key: newApiKey(text, { merchant_id: merchantId, type, livemode, name, scopes, ...made }), text };
}

function assertScopes(families: readonly string[], scopes: readonly string[]): void {
  const index = scopes.findIndex(scope => !isScope(families, scope));
  if (index === -1) return;
  const message = `There is no scope "${scopes[index]}". Scopes are * or one of ${families.join(', ')} with :read or :write.`;
  throw new PayError('parameter_invalid', message, { param: `scopes[${index}]` });
}
