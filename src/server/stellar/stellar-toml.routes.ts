import type { HttpApp } from '../platform/http/http-app.ts';
import type { StellarNetwork } from './network.ts';
import type { StellarSigner } from './signing/signer.ts';

/** The service's public keys. Wallets check SEP-7 links with `uriSigningKey`. */
export interface StellarTomlDeps {
  readonly network: Pick<StellarNetwork, 'passphrase'>;
  readonly signer: Pick<StellarSigner, 'treasury'>;
  readonly uriSigningKey: string;
}

/** `/.well-known/stellar.toml` (SEP-1 2.7.0). Any website may read it. */
export function registerStellarToml(app: HttpApp, { network, signer, uriSigningKey }: StellarTomlDeps): void {
  const text = [
    'VERSION = "2.7.0"',
    `NETWORK_PASSPHRASE = ${JSON.stringify(network.passphrase)}`,
    `ACCOUNTS = ${JSON.stringify([signer.treasury])}`,
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
