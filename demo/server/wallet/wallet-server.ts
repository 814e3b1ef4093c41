import type { Static, TSchema } from 'typebox';
import { Check } from 'typebox/value';
import type { Fetch } from '../../../src/api/client/transport.ts';
import type { Clock } from '../../../src/core/clock.ts';
import { isStellarAddress } from '../../../src/core/stellar/strkey.ts';
import { requestBodies } from '../../wallet-messages.ts';
import { jsonBody } from '../shop-input.ts';
import { accountView } from './account-view.ts';
import { makeDraft } from './drafts.ts';
import { historyView } from './history-view.ts';
import { checkNetwork, createHorizon, type Horizon, WalletError } from './horizon.ts';
import { findWays } from './pay-ways.ts';
import { progressOf, submitSigned } from './submissions.ts';
import { giveXlm } from './test-assets.ts';

export { createHorizon } from './horizon.ts';
export { openPayees, readTakings } from './shop-wallets.ts';

export interface WalletServerDeps {
  /** Address of Horizon, without a slash at its end. */
  readonly horizonUrl: () => string;
  readonly fetch: Fetch;
  readonly clock: Clock;
}

/** A handler for everything under `/demo/api/wallet/`. */
export type WalletServer = (request: Request) => Promise<Response>;

interface Asked {
  readonly horizon: Horizon;
  readonly clock: Clock;
  readonly request: Request;
  readonly url: URL;
  /** The part of the path that its pattern captures. */
  readonly named: string;
}

type Route = (asked: Asked) => Promise<unknown>;

const routes: readonly (readonly [method: string, path: RegExp, route: Route])[] = [
  ['GET', /^\/accounts\/(G[A-Z2-7]{55})$/, ({ horizon, named }) => accountView(horizon, account(named))],
  ['GET', /^\/accounts\/(G[A-Z2-7]{55})\/history$/, ({ horizon, named }) => historyView(horizon, account(named))],
  ['POST', /^\/lumens$/, takeLumens],
  ['POST', /^\/ways$/, askWays],
  ['POST', /^\/drafts$/, askDraft],
  ['POST', /^\/submissions$/, submit],
  ['GET', /^\/transactions\/([0-9a-f]{64})$/, ({ horizon, named, url }) => progressOf(horizon, named, until(url))],
];

/**
 * The server of the demo wallet. It builds transactions and reads the ledger, but holds no user's key. The Stellar SDK
 * is too large for a page, which only signs the 32 bytes of a hash.
 */
export function createWalletServer({ horizonUrl, fetch, clock }: WalletServerDeps): WalletServer {
  const horizon = createHorizon(horizonUrl, fetch);
  return async request => {
    const url = new URL(request.url);
    const path = url.pathname.replace(/^\/demo\/api\/wallet/, '');
    for (const [method, pattern, route] of routes) {
      const match = pattern.exec(path);
      if (!match || method !== request.method) continue;
      return await answerFor(() => route({ horizon, clock, request, url, named: match[1] ?? '' }));
    }
    return fresh({ code: 'unreadable', message: 'The wallet’s server has no such page.' }, 404);
  };
}

async function answerFor(answer: () => Promise<unknown>): Promise<Response> {
  try {
    return fresh(await answer(), 200);
  } catch (error) {
    if (!(error instanceof WalletError)) throw error;
    return fresh(error.problem, error.code === 'no_network' ? 503 : 400);
  }
}

function fresh(body: unknown, status: number): Response {
  return Response.json(body, { status, headers: { 'Cache-Control': 'no-store' } });
}

function account(address: string): string {
  if (isStellarAddress(address)) return address;
  throw new WalletError('unreadable', 'That is no account of this network.');
}

async function takeLumens({ horizon, clock, request }: Asked): Promise<unknown> {
  const { from } = await readBody(request, requestBodies.lumens);
  await giveXlm({ horizon, clock }, from);
  return await accountView(horizon, from);
}

async function askWays({ horizon, request }: Asked): Promise<unknown> {
  const { from, wish, network } = await readBody(request, requestBodies.ways);
  await checkNetwork(horizon, network);
  return await findWays(horizon, from, wish);
}

async function askDraft({ horizon, clock, request }: Asked): Promise<unknown> {
  return await makeDraft({ horizon, clock }, await readBody(request, requestBodies.draft));
}

async function submit({ horizon, request }: Asked): Promise<unknown> {
  return await submitSigned(horizon, await readBody(request, requestBodies.submission));
}

function until(url: URL): string | null {
  const text = url.searchParams.get('until');
  return text !== null && Number.isFinite(Date.parse(text)) ? text : null;
}

/** Reads a body with the schema. Its field `from` must be the address of an account. Throws WalletError. */
async function readBody<T extends TSchema>(request: Request, schema: T): Promise<Static<T>> {
  const body: unknown = await jsonBody(request);
  if (!Check(schema, body)) throw new WalletError('unreadable', 'The wallet’s server did not understand that.');
  const from: unknown = Reflect.get(body as object, 'from');
  if (typeof from !== 'string' || !from.startsWith('G') || !isStellarAddress(from)) {
    throw new WalletError('unreadable', 'That is no account of this network.');
  }
  return body as Static<T>;
}
