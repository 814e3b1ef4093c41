import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerProcess } from '../support/server-process.ts';

/** The secret test key of the first merchant in these tests. */
export const secretKey = `sk_test_${'torture0'.repeat(4)}`;

/** An answer, or a connection error. */
export interface Reply {
  /** 0: no answer. */
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  readonly body: any;
  /** Code of the connection error; null: there was an answer. */
  readonly failure: string | null;
}

/** Calls a server; never rejects. */
export async function call(
  url: string,
  route: string,
  body?: object,
  key?: string,
  secret = secretKey,
): Promise<Reply> {
  const [method = 'GET', path = '/'] = route.split(' ');
  const headers = {
    authorization: `Bearer ${secret}`,
    ...(body && { 'content-type': 'application/json' }),
    ...(key && { 'idempotency-key': key }),
  };
  try {
    const init = { method, headers, signal: AbortSignal.timeout(15_000) };
    const answer = await fetch(`${url}${path}`, body ? { ...init, body: JSON.stringify(body) } : init);
    const text = await answer.text();
    return { status: answer.status, text, headers: answer.headers, body: parse(text), failure: null };
  } catch (error) {
    return { status: 0, text: '', headers: new Headers(), body: null, failure: failureOf(error) };
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function failureOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? String(error);
}

/** A call with a final answer, success or refusal. The server must never undo it. */
export interface Acknowledged {
  readonly route: string;
  readonly key: string;
  readonly body: object;
  readonly status: number;
  readonly text: string;
}

/** A server that is killed and restarted: its current process. */
export interface Target {
  server: ServerProcess;
}

const order = {
  amount: 12_840,
  currency: 'EUR',
  settlement_asset: 'USDC',
  settlement_network: 'stellar',
  payment_methods: ['card', 'bank_transfer'],
  customer: { email: 'ada@example.com' },
};
/** Mostly cards that pay, and each card that causes later work. */
const tokens = ['tok_visa', 'tok_visa', 'tok_visa', 'tok_delayed', 'tok_timeout', 'tok_declined', 'tok_3ds'];

/** Longest time for which a key stays claimed after its server died, as the operator's manual promises. */
const longestClaimMs = 10_000;

/**
 * A check of the answers to one repeated call: whether an answer is final. Throws if the key stays claimed for too long
 * while a server answers.
 */
export function watchClaim(): (reply: Reply) => boolean {
  let claimedSince: number | null = null;
  return reply => {
    const isClaimed = reply.status === 409 && reply.body.error.code === 'idempotency_in_progress';
    claimedSince = isClaimed ? (claimedSince ?? performance.now()) : null;
    if (claimedSince !== null && performance.now() - claimedSince > longestClaimMs) {
      throw new Error(`a key is still claimed after ${longestClaimMs} ms: ${reply.text}`);
    }
    return !isClaimed && reply.status > 0 && reply.status < 500;
  };
}

/** Repeats a call with a key of its own until its answer is final. Null: the load ended before. */
type Insist = (route: string, body: object) => Promise<Reply | null>;

/** Starts clients that each repeat `turn` without a pause. `turn` gets the number of calls before it. */
export function startClients(target: Target, clients: number, turn: (insist: Insist, count: number) => Promise<void>) {
  const acknowledged: Acknowledged[] = [];
  let isOver = false;
  let count = 0;
  const insist: Insist = async (route, body) => {
    count++;
    const key = `torture-${count}`;
    const isFinal = watchClaim();
    while (!isOver) {
      const reply = await call(target.server.url, route, body, key);
      if (isFinal(reply)) {
        acknowledged.push({ route, key, body, status: reply.status, text: reply.text });
        return reply;
      }
      await sleep(50);
    }
    return null;
  };
  const client = async () => {
    while (!isOver) await turn(insist, count);
  };
  const running = Promise.all(Array.from({ length: clients }, client));
  return {
    acknowledged,
    stop: async () => {
      isOver = true;
      await running;
    },
  };
}

/** Starts clients that create, confirm, capture and refund payments, each call with its own idempotency key. */
export function startLoad(target: Target, clients: number, random: () => number) {
  const created: string[] = [];

  /** Captures a part or all of an authorized card, or releases it. */
  async function endAuthorization(insist: Insist, id: string): Promise<Reply | null> {
    if (random() < 0.2) return await insist(`POST /v1/payments/${id}/cancel`, {});
    const body = random() < 0.5 ? {} : { amount: 1 + Math.floor(random() * order.amount) };
    return await insist(`POST /v1/payments/${id}/capture`, body);
  }

  const load = startClients(target, clients, async (insist, count) => {
    const capture_method = random() < 0.3 ? 'manual' : 'automatic';
    const payment = await insist('POST /v1/payments', { ...order, capture_method, reference: `r-${count + 1}` });
    if (payment?.status !== 201) return;
    const { id } = payment.body;
    created.push(id);
    const token = tokens[Math.floor(random() * tokens.length)];
    const confirmed = await insist(`POST /v1/payments/${id}/confirm`, { method: 'card', token });
    const paid = confirmed?.body.phase === 'authorized' ? await endAuthorization(insist, id) : confirmed;
    if (paid?.body.status !== 'completed' || random() < 0.5) return;
    const amount = 1 + Math.floor(random() * paid.body.amount_received);
    await insist(`POST /v1/payments/${id}/refunds`, { amount });
  });
  return { ...load, created };
}
