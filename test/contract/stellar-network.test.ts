import { expect } from 'vitest';
import { testPassphrase } from '../../src/core/stellar/stellar-network.ts';
import { sandboxAssets } from '../../src/sandbox/stellar/index.ts';
import { createHttpExchange } from '../../src/server/platform/http-exchange.ts';
import { createHorizonNetwork } from '../../src/server/stellar/horizon/horizon-network.ts';
import type { StellarNetwork } from '../../src/server/stellar/network.ts';
import { createRpcBackedNetwork } from '../../src/server/stellar/rpc/rpc-backed-network.ts';
import { type StellarLab, startStellarLab } from '../sandbox/stellar/stellar-lab.ts';
import { describeStellarNetwork, type NetworkUnderTest } from './stellar-network.ts';

let lab: StellarLab;
const http = createHttpExchange();

async function sandbox(open: (horizon: StellarNetwork, lab: StellarLab) => StellarNetwork): Promise<NetworkUnderTest> {
  lab = await startStellarLab();
  const { url, sdk, app } = lab;
  const horizon = createHorizonNetwork({ url: () => url, passphrase: testPassphrase, http });
  return {
    network: open(horizon, lab),
    open: async address => {
      await sdk.friendbot(address).call();
    },
    tradedAsset: sandboxAssets.USDC,
    close: () => app.close(),
  };
}

describeStellarNetwork(
  'Horizon',
  {
    namesCreator: true,
    setFaults: async faults => {
      const { status } = await lab.app.request('PUT /sandbox/stellar/faults', { body: { faults } });
      expect(status).toBe(200);
    },
  },
  () => sandbox(horizon => horizon),
);

describeStellarNetwork('Stellar RPC, with Horizon beside it', { namesCreator: false, setFaults: null }, () =>
  sandbox((horizon, { url }) => {
    const rpcUrl = url.replace(/\/horizon$/, '/rpc');
    return createRpcBackedNetwork(horizon, { url: rpcUrl, passphrase: testPassphrase, http });
  }),
);
