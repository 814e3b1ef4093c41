import type { Clock } from '../../core/clock.ts';
import type { RateSource } from '../../server/rates/rates.ts';
import { createHorizonAnswers, type Horizon } from './horizon/horizon.ts';
import { createConfirmations } from './node/confirmations.ts';
import { createLedgerNode, type LedgerNode, type LedgerNodeDeps } from './node/ledger-node.ts';
import { createLaggard, type Laggard } from './node/stale-view.ts';
import { createRpcMethods, type RpcMethod } from './rpc/rpc-methods.ts';
import { seededKeys } from './seeded/accounts.ts';
import { firstTransactions } from './seeded/first-transactions.ts';
import { guardSeeded } from './seeded/guard.ts';
import { keepMarket, planMarket } from './seeded/market.ts';
import { createSandboxMoney, type SandboxMoney } from './seeded/money.ts';
import { createSender } from './seeded/sender.ts';

/** The sandbox network with all that needs the Stellar SDK: import this file late. */
export interface SandboxNetwork {
  readonly node: LedgerNode;
  readonly horizon: Horizon;
  readonly money: SandboxMoney;
  readonly laggard: Laggard;
  /** The methods of Stellar RPC. */
  readonly rpc: Readonly<Record<string, RpcMethod>>;
}

/** What the network stands on. */
interface SandboxNetworkDeps extends Omit<LedgerNodeDeps, 'firstTransactions'> {
  readonly clock: Clock;
  readonly rates: RateSource;
}

/** Puts the network together. */
export async function createSandboxNetwork(deps: SandboxNetworkDeps): Promise<SandboxNetwork> {
  const plan = await planMarket(deps.rates);
  const node = createLedgerNode({ ...deps, firstTransactions: ledger => firstTransactions(ledger, plan) });
  const confirmations = createConfirmations(deps.db, node);
  const laggard = createLaggard(node);
  keepMarket({ node, confirmations, plan, log: deps.log });
  const sender = createSender({ node, confirmations, channels: seededKeys().channels });
  const money = createSandboxMoney({ node, sender });
  const door = { db: deps.db, node: guardSeeded(node) };
  const horizon = createHorizonAnswers({ ...door, confirmations, laggard, money });
  return { node, horizon, money, laggard, rpc: createRpcMethods(door) };
}
