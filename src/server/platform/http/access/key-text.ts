/** What a key may do: `secret` keys everything of their scopes, `publishable` ones what is safe in a browser. */
export type ApiKeyType = 'secret' | 'publishable';

/** Type and mode of what looks like a key, or null. Says nothing about whether the key exists. */
export function parseKeyText(text: string): { readonly type: ApiKeyType; readonly livemode: boolean } | null {
  const match = /^([sp])k_(test|live)_[0-9A-Za-z]{16,120}$/.exec(text);
  return match === null ? null : { type: match[1] === 's' ? 'secret' : 'publishable', livemode: match[2] === 'live' };
}

/** Whether the scopes of a key include the one a route needs. Who may write may read. */
export function hasScope(scopes: readonly string[], needed: string): boolean {
  if (scopes.includes('*') || scopes.includes(needed)) return true;
  return needed.endsWith(':read') && scopes.includes(needed.replace(/:read$/, ':write'));
}

/** Whether there is such a scope: `*`, or one of the families with `:read` or `:write`. */
export function isScope(families: readonly string[], text: string): boolean {
  const [family = '', action, ...rest] = text.split(':');
  if (text === '*') return true;
  const isAction = action === 'read' || action === 'write';
  return isAction && rest.length === 0 && families.includes(family);
}
