import { readFile } from 'node:fs/promises';
import type { Fetch } from '../../src/api/client/transport.ts';
import type { PayClient } from '../../src/api/client.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { ShopTakings } from '../wallet-wire.ts';

/** The demo's side of the test network: the pocket wallet's server, and the shop's own account. */
export interface ShopStellar {
  /** Answers everything under `/demo/api/wallet/`. */
  handle(request: Request): Promise<Response>;
  /** Gives the shop an account for its takings, where it has none. */
  openAccount(client: PayClient, secretKey: string): Promise<void>;
  /** What has reached the shop's account. */
  takings(client: PayClient): Promise<ShopTakings>;
}

/** What it needs. */
interface ShopStellarDeps {
  /** Address at which the payment service is reached, without a slash at its end. */
  readonly serviceUrl: () => string;
  readonly fetch: Fetch;
  readonly clock: Clock;
}

/** Nothing of it is loaded before it is asked for: the Stellar SDK alone takes as much memory as the rest of the demo. */
export function createShopStellar({ serviceUrl, fetch, clock }: ShopStellarDeps): ShopStellar {
  const horizonUrl = () => `${serviceUrl()}/sandbox/horizon`;
  let server: Promise<(request: Request) => Promise<Response>> | null = null;
  const load = () => import('./wallet/wallet-server.ts');
  return {
    async handle(request) {
      server ??= load().then(({ createWalletServer }) => createWalletServer({ horizonUrl, fetch, clock }));
      return await (await server)(request);
    },
    async openAccount(client, secretKey) {
      const { createHorizon, openSettlementAccount } = await load();
      await openSettlementAccount({ client, secretKey, clock, horizon: createHorizon(horizonUrl, fetch) });
    },
    async takings(client) {
      const { createHorizon, readTakings } = await load();
      return await readTakings(createHorizon(horizonUrl, fetch), client);
    },
  };
}

/** The name of an account that nobody has named yet. */
const unnamed = 'Test shop';

/**
 * Gives the account the shop's name and logo, so that a payer sees the same shop on the hosted page. An account that
 * its owner has named stays as it is.
 */
export async function nameAccount(pay: PayClient): Promise<void> {
  const { name, branding } = await pay.account.retrieve();
  if (name !== unnamed || branding.logo !== null) return;
  // The path also holds in the bundled server: dist/server is as deep below the root as demo/server.
  const logo = await readFile(new URL('../pictures/logo.png', import.meta.url), 'base64');
  await pay.account.update({ name: 'Nordlys Supply', branding: { logo: `data:image/png;base64,${logo}` } });
}
