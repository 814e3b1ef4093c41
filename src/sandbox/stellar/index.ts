import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import { PayError } from '../../core/error.ts';
import type { Db } from '../../server/platform/db/database.ts';
import type { RateSource } from '../../server/rates/rates.ts';
import { registerFaultRoutes } from './faults/fault.routes.ts';
import { createFaults, type Faults } from './faults/fault.store.ts';
import { registerHorizon } from './horizon/horizon.routes.ts';
import { isAnythingQueued, tellOthers } from './node/ledger.store.ts';
import { registerRpc } from './rpc/rpc.routes.ts';
import { methodNotFound } from './rpc/rpc-request.ts';
import type { SandboxNetwork } from './sandbox-network.ts';
import type { MoneyProblem, SandboxMoney, SandboxPayment, SandboxReceipt } from './seeded/money.ts';
import { stellarDb } from './tables.ts';

export type { Fault, FaultKind } from './faults/fault.ts';
export { labelledKey, sandboxAssets } from './seeded/accounts.ts';

/**
 * The Stellar network of test mode. Nothing of it is loaded before somebody asks for it: the SDK alone takes as much
 * memory as the rest of the service.
 */
interface SandboxStellar {
  /** Registers Horizon under `/sandbox/horizon` with the switches of its faults, and Stellar RPC at `/sandbox/rpc`. */
  register(http: FastifyInstance): Promise<void>;
  /** Goes on where an earlier process stopped. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Money of the network, for test helpers and the treasury. */
  money(): Promise<SandboxMoney>;
  readonly faults: Faults;
}

/** What the network stands on. */
interface SandboxStellarDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly rates: RateSource;
  readonly log: { error(details: object, message: string): void };
  /** Time between two ledgers while there is something to do, in milliseconds. */
  readonly closeEveryMs: number;
  /** What to send on which channel of the database so that other processes look, and how to hear of theirs. */
  readonly notice: { readonly channel: string; readonly payload: string };
  readonly onNotice: (callback: () => void) => () => void;
}

/** Makes the network. */
export function createSandboxStellar(deps: SandboxStellarDeps): SandboxStellar {
  const { clock, rates, log, closeEveryMs, notice } = deps;
  const db = stellarDb(deps.db);
  const faults = createFaults({ db, announce: () => tellOthers(db, notice) });
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

  /** Another process closed a ledger, left a transaction, or switched faults. */
  async function hear(): Promise<void> {
    faults.refresh();
    if (network === null) return;
    const { node, laggard } = await network;
    node.look();
    if (!(await faults.list()).some(({ fault }) => fault.fault === 'stale')) laggard.catchUp();
  }

  /** Goes on where a process stopped; a network that nobody used stays unloaded. */
  async function resume(): Promise<void> {
    if (await isAnythingQueued(db)) (await load()).node.look();
  }

  async function callRpc(name: string, params: Readonly<Record<string, unknown>>): Promise<unknown> {
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
        hear().catch(err => log.error({ err }, 'the sandbox network could not follow another process'));
      });
      resume().catch(err => log.error({ err }, 'the sandbox network could not look for transactions that wait'));
    },
    stop: async () => {
      stopListening();
      if (network !== null) await (await network).node.stop();
    },
    money: async () => (await load()).money,
    faults,
  };
}

/** Pays on the sandbox network as a test asks for it; says what the ledger would not do in the words of the API. */
export async function payAsAsked(
  stellar: Pick<SandboxStellar, 'money'>,
  payment: SandboxPayment,
): Promise<SandboxReceipt> {
  const money = await stellar.money();
  try {
    return await money.pay(payment);
  } catch (error) {
    // Loaded with the network, and not before it.
    const { SandboxMoneyError } = await import('./seeded/money.ts');
    if (!(error instanceof SandboxMoneyError)) throw error;
    throw new PayError('parameter_invalid', error.message, { param: paramOf(error.problem), cause: error });
  }
}

function paramOf(problem: MoneyProblem): string {
  if (problem === 'too_much') return 'amount';
  return problem === 'no_trust' || problem === 'refused' ? 'asset' : 'address';
}
