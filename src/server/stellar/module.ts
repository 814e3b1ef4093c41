import { defineModule } from '../platform/module.ts';
import type { StellarNetwork } from './network.ts';
import type { StellarSigner } from './signing/signer.ts';
import { registerStellarToml } from './stellar-toml.routes.ts';

interface Deps {
  readonly stellar: {
    readonly network: Pick<StellarNetwork, 'passphrase'>;
    readonly signer: Pick<StellarSigner, 'treasury'>;
    readonly uriSigningKey: string;
    close(): void;
  };
}

/** The service's place on a Stellar network. */
export const stellar = defineModule<Deps>({
  name: 'stellar',
  tables: ['signer_spend'],
  routes: (app, { stellar: { network, signer, uriSigningKey } }) =>
    registerStellarToml(app, { passphrase: network.passphrase, uriSigningKey, accounts: [signer.treasury] }),
  stop: deps => deps.stellar.close(),
});
