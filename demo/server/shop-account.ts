import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fetch } from '../../src/api/client/transport.ts';
import type { PayClient } from '../../src/api/client.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { ShopTakings } from '../wallet-messages.ts';

/** The demo's access to the test network: the wallet's server, payees and the shop's takings. */
export interface ShopStellar {
  /** Answers everything under `/demo/api/wallet/`. */
  handle(request: Request): Promise<Response>;
  /** Addresses of wallets that take USDC, for people whom the shop pays. Opens missing wallets. */
  openPayees(secretKey: string, count: number): Promise<readonly string[]>;
  /** The settlement account and its recent payments. */
  takings(client: PayClient): Promise<ShopTakings>;
}

interface ShopStellarDeps {
  /** Address at which the payment service is reached, without a slash at its end. */
  readonly serviceUrl: () => string;
  readonly fetch: Fetch;
  readonly clock: Clock;
}

/** Loads the Stellar SDK at first use, because it takes as much memory as the rest of the demo. */
export function createShopStellar({ serviceUrl, fetch, clock }: ShopStellarDeps): ShopStellar {
  const horizonUrl = () => `${serviceUrl()}/sandbox/horizon`;
  let server: Promise<(request: Request) => Promise<Response>> | null = null;
  const load = () => import('./wallet/wallet-server.ts');
  return {
    async handle(request) {
      server ??= load().then(({ createWalletServer }) => createWalletServer({ horizonUrl, fetch, clock }));
      return await (await server)(request);
    },
    async openPayees(secretKey, count) {
      const { createHorizon, openPayees } = await load();
      return await openPayees({ secretKey, clock, horizon: createHorizon(horizonUrl, fetch) }, count);
    },
    async takings(client) {
      const { createHorizon, readTakings } = await load();
      return await readTakings(createHorizon(horizonUrl, fetch), client);
    },
  };
}

/** The default name of an account. */
const unnamed = 'Test shop';

/** Gives the account the shop's name and logo for the hosted pages, unless the account already has a name or logo. */
export async function nameAccount(pay: PayClient): Promise<void> {
  const { name, branding } = await pay.account.retrieve();
  if (name !== unnamed || branding.logo !== null) return;
  // The path is also correct in the bundled server, because dist/server is at the same depth as demo/server.
  const logo = await readFile(join(import.meta.dirname, '..', '..', 'demo', 'pictures', 'logo.png'), 'base64');
  await pay.account.update({ name: 'Nordlys Supply', branding: { logo: `data:image/png;base64,${logo}` } });
}
