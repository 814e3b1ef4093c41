import type { ApiKey as ApiKeyAnswer } from '../../api/merchant.ts';
import { PayError } from '../../core/error.ts';
import { randomText } from '../../core/id.ts';

/** What a key may do: `secret` keys everything of their scopes, `publishable` ones what is safe in a browser. */
export type ApiKeyType = 'secret' | 'publishable';

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

/** The scopes a restricted secret key may have: each family to read, or to read and write. */
const scopeFamilies = [
  'account',
  'api_keys',
  'balance',
  'events',
  'invoices',
  'payments',
  'test_helpers',
  'webhooks',
] as const;

/** The beginning of every key of the type and mode: `sk_test_` … */
function keyPrefix(type: ApiKeyType, livemode: boolean): string {
  return `${type === 'secret' ? 'sk' : 'pk'}_${livemode ? 'live' : 'test'}_`;
}

/** A new key's text. */
export function newKeyText(type: ApiKeyType, livemode: boolean): string {
  return keyPrefix(type, livemode) + randomText(randomLength);
}

/** Type and mode of what looks like a key, or null. Says nothing about whether the key exists. */
export function parseKeyText(text: string): { readonly type: ApiKeyType; readonly livemode: boolean } | null {
  const match = /^([sp])k_(test|live)_[0-9A-Za-z]{16,120}$/.exec(text);
  return match === null ? null : { type: match[1] === 's' ? 'secret' : 'publishable', livemode: match[2] === 'live' };
}

/** What is shown of a key after it was made. */
export function keyHint(text: string): string {
  const prefix = /^[sp]k_(?:test|live)_/.exec(text)?.[0] ?? '';
  return `${prefix}…${text.slice(-4)}`;
}

/** Whether the scopes of a key include the one a route needs. Who may write may read. */
export function hasScope(scopes: readonly string[], needed: string): boolean {
  if (scopes.includes('*') || scopes.includes(needed)) return true;
  return needed.endsWith(':read') && scopes.includes(needed.replace(/:read$/, ':write'));
}

/** Whether there is such a scope: `*`, or a family with `:read` or `:write`. */
export function isScope(text: string): boolean {
  const [family = '', action, ...rest] = text.split(':');
  if (text === '*') return true;
  const isAction = action === 'read' || action === 'write';
  return isAction && rest.length === 0 && (scopeFamilies as readonly string[]).includes(family);
}

/** Throws PayError `parameter_invalid` for a scope that does not exist. */
export function assertScopes(scopes: readonly string[]): void {
  const index = scopes.findIndex(scope => !isScope(scope));
  if (index === -1) return;
  const message = `There is no scope "${scopes[index]}". Scopes are * or one of ${scopeFamilies.join(', ')} with :read or :write.`;
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
