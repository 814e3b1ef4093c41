import { createHorizonClient, type HorizonTarget } from './horizon-client.ts';
import { createHorizonHistory } from './horizon-history.ts';
import { createHorizonMarket } from './horizon-market.ts';
import { createHorizonSubmission } from './horizon-submission.ts';
import type { StellarNetwork } from './network.ts';

/** A Stellar network by the Horizon that serves it: the sandbox’s, testnet’s, the public one’s, or the operator’s own. */
export function createHorizonNetwork(target: HorizonTarget): StellarNetwork {
  const client = createHorizonClient(target);
  return { ...createHorizonSubmission(client), ...createHorizonHistory(client), ...createHorizonMarket(client) };
}
