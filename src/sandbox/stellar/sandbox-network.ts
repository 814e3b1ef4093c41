import type { RateSource } from '../../server/rates/rates.ts';
import type { Horizon } from './horizon/horizon.ts';
import { createHorizon } from './horizon/horizon.ts';
import { createConfirmations } from './node/confirmations.ts';
import { createLedgerNode, type LedgerNode, type LedgerNodeDeps } from './node/ledger-node.ts';
import { createStaleView, type StaleView } from './node/stale-view.ts';
import { createRpcMethods } from './rpc/rpc-methods.ts';
import type { RpcMethod } from './rpc/rpc-request.ts';
import { seededKeys } from './seeded/accounts.ts';
import { firstTransactions } from './seeded/first-transactions.ts';
import { guardSeeded } from './seeded/guard.ts';
import { keepMarket, planMarket } from './seeded/market.ts';
import { createSandboxMoney, type SandboxMoney } from './seeded/money.ts';
import { createSender } from './seeded/sender.ts';

/** The parts of the sandbox network. This file loads the Stellar SDK, so `index.ts` imports it at the first use. */
export interface SandboxNetwork {
  readonly node: LedgerNode;
  readonly horizon: Horizon;
  readonly money: SandboxMoney;
  readonly stale: StaleView;
  /** The methods of Stellar RPC. */
  readonly rpc: Readonly<Record<string, RpcMethod>>;
}

interface SandboxNetworkDeps extends Omit<LedgerNodeDeps, 'firstTransactions'> {
  readonly rates: RateSource;
}

export async function createSandboxNetwork(deps: SandboxNetworkDeps): Promise<SandboxNetwork> {
  const plan = await planMarket(deps.rates);
  const node = createLedgerNode({ ...deps, firstTransactions: ledger => firstTransactions(ledger, plan) });
  const confirmations = createConfirmations(deps.db, node);
  const stale = createStaleView(node);
  keepMarket({ node, confirmations, plan, log: deps.log });
  const sender = createSender({ node, confirmations, channels: seededKeys().channels });
  const money = createSandboxMoney({ node, sender });
  const forClients = { db: deps.db, node: guardSeeded(node) };
  const horizon = createHorizon({ ...forClients, confirmations, stale, money });
  return { node, horizon, money, stale, rpc: createRpcMethods(forClients) };
}
