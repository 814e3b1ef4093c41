import type { StellarNetwork } from '../network.ts';
import type { RpcTarget } from './rpc-network.ts';

/**
 * A network that uses Stellar RPC for transactions and payments. Horizon still provides accounts, paths, claimable
 * balances, clawbacks and the stream of hints. The Stellar SDK is loaded with the first request.
 */
export function createRpcBackedNetwork(horizon: StellarNetwork, target: RpcTarget): StellarNetwork {
  const load = () => import('./rpc-network.ts').then(({ createRpcNetwork }) => createRpcNetwork(target));
  let loaded: ReturnType<typeof load> | null = null;
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
