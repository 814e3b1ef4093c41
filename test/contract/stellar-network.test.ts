import { expect } from 'vitest';
import { sandboxAssets } from '../../src/sandbox/stellar/assets.ts';
import { createHttpExchange } from '../../src/server/http-exchange.ts';
import { createHorizonNetwork } from '../../src/server/stellar/horizon-network.ts';
import { testPassphrase } from '../../src/server/stellar/passphrases.ts';
import { startStellarLab } from '../sandbox/stellar/stellar-lab.ts';
import { describeStellarNetwork } from './stellar-network.ts';

describeStellarNetwork('Horizon', async () => {
  const lab = await startStellarLab();
  const http = createHttpExchange();
  return {
    network: createHorizonNetwork({ url: () => lab.url, passphrase: testPassphrase, http }),
    open: async address => {
      await lab.sdk.friendbot(address).call();
    },
    tradedAsset: sandboxAssets.USDC,
    knowsOperations: true,
    faults: async faults => {
      const { status } = await lab.app.request('PUT /sandbox/stellar/faults', { body: { faults } });
      expect(status).toBe(200);
    },
    close: async () => {
      http.close();
      await lab.close();
    },
  };
});
