import type { HttpApp } from '../platform/http/http-app.ts';

/** What wallets may know of the service. */
export interface StellarTomlDeps {
  readonly passphrase: string;
  /** Against which wallets check the signatures of links (SEP-7). */
  readonly uriSigningKey: string;
  /** The accounts that are the service’s own. */
  readonly accounts: readonly string[];
}

/** `/.well-known/stellar.toml` (SEP-1 2.7.0): plain text that any page may read. */
export function registerStellarToml(app: HttpApp, { passphrase, uriSigningKey, accounts }: StellarTomlDeps): void {
  const text = [
    'VERSION = "2.7.0"',
    `NETWORK_PASSPHRASE = ${JSON.stringify(passphrase)}`,
    `ACCOUNTS = ${JSON.stringify(accounts)}`,
    `URI_REQUEST_SIGNING_KEY = ${JSON.stringify(uriSigningKey)}`,
    '',
  ].join('\n');
  const options = { config: { access: 'public' }, schema: { hide: true } } as const;
  app.get('/.well-known/stellar.toml', options, async (_request, reply) =>
    reply
      .header('access-control-allow-origin', '*')
      .header('cross-origin-resource-policy', 'cross-origin')
      .type('text/plain; charset=utf-8')
      .send(text),
  );
}
