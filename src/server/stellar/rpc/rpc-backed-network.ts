import type { StellarNetwork } from '../network.ts';
import type { RpcTarget } from './rpc-client.ts';

/**
 * A network whose transactions are handed to, and whose payments are read from, a Stellar RPC; accounts, paths and what
 * waits to be claimed stay with Horizon, which alone has them. A stream of Horizon’s still hints when to look.
 */
export function createRpcBackedNetwork(horizon: StellarNetwork, target: RpcTarget): StellarNetwork {
  const load = () => import('./rpc-network.ts').then(({ createRpcNetwork }) => createRpcNetwork(target));
  let loaded: ReturnType<typeof load> | null = null;
  // Loaded with the first question: it needs the SDK.
  const rpc = () => {
    loaded ??= load();
    return loaded;
  };
  return {
    ...horizon,
    submit: async envelopeXdr => (await rpc()).submit(envelopeXdr),
    status: async hash => (await rpc()).status(hash),
    latestLedger: async () => (await rpc()).latestLedger(),
    fees: async () => (await rpc()).fees(),
    incoming: async (account, cursor, limit) => (await rpc()).incoming(account, cursor, limit),
  };
}
