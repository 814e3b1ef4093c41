import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import { PayError } from '../../core/error.ts';
import type { Db } from '../../server/platform/db/database.ts';
import type { RateSource } from '../../server/rates/rates.ts';
import { registerFaultRoutes } from './faults/fault.routes.ts';
import { createFaults, type Faults } from './faults/fault.store.ts';
import { registerHorizon } from './horizon/horizon.routes.ts';
import { isAnythingQueued, notify } from './node/ledger.store.ts';
import { registerRpc } from './rpc/rpc.routes.ts';
import { methodNotFound, type RpcParams } from './rpc/rpc-request.ts';
import type { SandboxNetwork } from './sandbox-network.ts';
import type { MoneyProblem, SandboxMoney, SandboxPayment, SandboxReceipt } from './seeded/money.ts';
import { stellarDb } from './tables.ts';

export type { Fault, FaultKind } from './faults/fault.ts';
export { labelledKey, sandboxAssets, sandboxKey } from './seeded/accounts.ts';

/**
 * The Stellar network of test mode. Service code outside of this folder imports only this file. The network is loaded
 * at its first use, because the Stellar SDK needs much memory.
 */
interface SandboxStellar {
  /**
   * Registers Horizon (`/sandbox/horizon`), its faults (`/sandbox/stellar/faults`) and Stellar RPC (`/sandbox/rpc`).
   */
  register(http: FastifyInstance): Promise<void>;
  /** Listens for changed ledgers and faults, and continues with transactions that an earlier process left pending. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Pays test money. Test helpers and the treasury use it. */
  money(): Promise<SandboxMoney>;
  readonly faults: Faults;
}

interface SandboxStellarDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly rates: RateSource;
  readonly log: { error(details: object, message: string): void };
  /** Milliseconds between two ledgers while transactions are pending. */
  readonly closeEveryMs: number;
  /** The database notification that reports changes to other processes. */
  readonly notice: { readonly channel: string; readonly payload: string };
  /** Calls back after each notification, and after a lost database connection. Returns a function that unsubscribes. */
  readonly onNotice: (callback: () => void) => () => void;
}

export function createSandboxStellar(deps: SandboxStellarDeps): SandboxStellar {
  const { clock, rates, log, closeEveryMs, notice } = deps;
  const db = stellarDb(deps.db);
  const faults = createFaults({ db, announce: () => notify(db, notice) });
  let network: Promise<SandboxNetwork> | null = null;
  let stopListening = () => {};

  function load(): Promise<SandboxNetwork> {
    network ??= import('./sandbox-network.ts')
      .then(({ createSandboxNetwork }) => createSandboxNetwork({ db, clock, rates, log, closeEveryMs, notice }))
      .catch(error => {
        network = null;
        throw error;
      });
    return network;
  }

  /** Called after this or another process closed a ledger or changed faults. */
  async function follow(): Promise<void> {
    faults.refresh();
    if (network === null) return;
    const { node, stale } = await network;
    node.look();
    if (!(await faults.list()).some(({ fault }) => fault.fault === 'stale')) stale.reset();
  }

  /** Loads the network only if the queue contains transactions. */
  async function resume(): Promise<void> {
    if (await isAnythingQueued(db)) (await load()).node.look();
  }

  async function callRpc(name: string, params: RpcParams): Promise<unknown> {
    const { rpc } = await load();
    const method = Object.hasOwn(rpc, name) ? rpc[name] : undefined;
    if (method === undefined) throw methodNotFound();
    return await method(params);
  }

  return {
    register: async http => {
      registerFaultRoutes(http, faults);
      await registerHorizon(http, { horizon: async () => (await load()).horizon, faults, log });
      await registerRpc(http, { call: callRpc, log });
    },
    start: async () => {
      stopListening = deps.onNotice(() => {
        follow().catch(err => log.error({ err }, 'the sandbox network could not read ledgers of another process'));
      });
      resume().catch(err => log.error({ err }, 'the sandbox network could not load pending transactions'));
    },
    stop: async () => {
      stopListening();
      if (network !== null) await (await network).node.stop();
    },
    money: async () => (await load()).money,
    faults,
  };
}

/**
 * Makes the payment that a test helper requested. Throws the API’s `parameter_invalid` if the network refuses the
 * payment.
 */
export async function payAsAsked(
  stellar: Pick<SandboxStellar, 'money'>,
  payment: SandboxPayment,
): Promise<SandboxReceipt> {
  const money = await stellar.money();
  try {
    return await money.pay(payment);
  } catch (error) {
    // A static import of `seeded/money.ts` would load the SDK when the service starts.
    const { SandboxMoneyError } = await import('./seeded/money.ts');
    if (!(error instanceof SandboxMoneyError)) throw error;
    throw new PayError('parameter_invalid', error.message, { param: paramOf(error.problem), cause: error });
  }
}

function paramOf(problem: MoneyProblem): string {
  if (problem === 'too_much') return 'amount';
  return problem === 'no_trust' || problem === 'refused' ? 'asset' : 'address';
}
