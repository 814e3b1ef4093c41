import * as treasurySchemas from '../../api/treasury.ts';
import type { Sweep } from '../platform/jobs/sweeper.ts';
import type { Gauge } from '../platform/metrics.ts';
import { defineModule, schemasIn } from '../platform/module.ts';
import type { StellarNetwork } from './network.ts';
import type { StellarSigner } from './signing/signer.ts';
import { registerStellarToml } from './stellar-toml.routes.ts';
import { treasuryEvents } from './treasury-sample.ts';

interface Deps {
  readonly stellar: {
    readonly network: Pick<StellarNetwork, 'passphrase'>;
    readonly signer: Pick<StellarSigner, 'treasury'>;
    readonly uriSigningKey: string;
    close(): void;
  };
  /** What sends and receives money on the network, as the composition root puts it together. */
  readonly money: {
    readonly treasury: {
      readonly sweeps: readonly Sweep[];
      readonly gauges: readonly Gauge[];
      readonly remarks: () => readonly string[];
    };
  };
}

/** The service's place on a Stellar network, with the treasury that money leaves from. */
export const stellar = defineModule<Deps>({
  name: 'stellar',
  tables: [
    ...['stellar_envelopes', 'stellar_envelope_hashes', 'stellar_envelope_transfers'],
    ...['channel_accounts', 'treasury_balances', 'signer_spend'],
  ],
  schemas: schemasIn(treasurySchemas),
  events: treasuryEvents,
  routes: (app, { stellar: { network, signer, uriSigningKey } }) =>
    registerStellarToml(app, { passphrase: network.passphrase, uriSigningKey, accounts: [signer.treasury] }),
  sweeps: ({ money }) => money.treasury.sweeps,
  gauges: ({ money }) => money.treasury.gauges,
  remarks: ({ money }) => money.treasury.remarks(),
  stop: deps => deps.stellar.close(),
});
