import type { StellarNetwork } from '../network.ts';
import { createHorizonClient, type HorizonTarget } from './horizon-client.ts';
import { createHorizonClawbacks, createHorizonHistory } from './horizon-history.ts';
import { createHorizonLedgers, createHorizonMarket } from './horizon-market.ts';

/**
 * A Stellar network by the Horizon that serves it: the sandbox’s, testnet’s, the public one’s, or the operator’s own.
 * The SDK is loaded with the first transaction.
 */
export function createHorizonNetwork(target: HorizonTarget): StellarNetwork {
  const client = createHorizonClient(target);
  const submission = () => import('./horizon-submission.ts');
  return {
    passphrase: target.passphrase,
    submit: async envelopeXdr => (await submission()).submitToHorizon(client, envelopeXdr),
    status: async hash => (await submission()).statusInHorizon(client, hash),
    ...createHorizonLedgers(client),
    ...createHorizonHistory(client),
    ...createHorizonClawbacks(client),
    ...createHorizonMarket(client),
  };
}
