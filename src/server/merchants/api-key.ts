import type { ApiKey as ApiKeyAnswer } from '../../api/merchant.ts';
import { PayError } from '../../core/error.ts';
import { randomText } from '../../core/id.ts';
import { type ApiKeyType, isScope } from '../platform/http/access/key-text.ts';

/** A key as the service knows it: never its text. */
export interface ApiKey {
  readonly id: string;
  readonly merchantId: string;
  readonly type: ApiKeyType;
  readonly livemode: boolean;
  readonly name: string | null;
  /** Prefix and last four characters, to recognise it by. */
  readonly hint: string;
  readonly scopes: readonly string[];
  readonly createdAt: Date;
}

/** 32 base62 characters are 190 random bits. */
const randomLength = 32;

/** The beginning of every key of the type and mode: `sk_test_` … */
function keyPrefix(type: ApiKeyType, livemode: boolean): string {
  return `${type === 'secret' ? 'sk' : 'pk'}_${livemode ? 'live' : 'test'}_`;
}

/** A new key's text. */
export function newKeyText(type: ApiKeyType, livemode: boolean): string {
  return keyPrefix(type, livemode) + randomText(randomLength);
}

/** What is shown of a key after it was made. */
export function keyHint(text: string): string {
  const prefix = /^[sp]k_(?:test|live)_/.exec(text)?.[0] ?? '';
  return `${prefix}…${text.slice(-4)}`;
}

/** Throws PayError `parameter_invalid` for a scope that does not exist. */
export function assertScopes(families: readonly string[], scopes: readonly string[]): void {
  const index = scopes.findIndex(scope => !isScope(families, scope));
  if (index === -1) return;
  const message = `There is no scope "${scopes[index]}". Scopes are * or one of ${families.join(', ')} with :read or :write.`;
  throw new PayError('parameter_invalid', message, { param: `scopes[${index}]` });
}

/** The key in its wire form; its text only when it was just made. */
export function apiKeyToWire(key: ApiKey, text?: string): ApiKeyAnswer {
  return {
    id: key.id,
    object: 'api_key',
    type: key.type,
    name: key.name,
    ...(text !== undefined && { key: text }),
    hint: key.hint,
    scopes: [...key.scopes],
    livemode: key.livemode,
    created_at: key.createdAt.toISOString(),
  };
}
