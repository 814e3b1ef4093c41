import type { OutboundFailure } from './outbound.ts';

/** An amount to deliver, before it is queued. Units are the smallest of the asset or currency. */
export interface Order {
  readonly asset: string;
  readonly amount: bigint;
  /** The recipient, in the fields of the lane. */
  readonly destination: Readonly<Record<string, string>>;
  /**
   * What the service received or debits for the amount, fixed before the plan. Null if it is the amount itself. The
   * market of the plan cannot move it, so it bounds the cost.
   */
  readonly given: { readonly currency: string; readonly amount: bigint } | null;
  /** The asset in which the payer paid the service, which is spent first. Null: none. */
  readonly paidIn: string | null;
  /** Whether the amount may wait for the recipient as a claimable balance. */
  readonly claimable: boolean;
  /**
   * The service exchanges its own `paidIn` for the amount, and keeps the amount: the recipient is its own account. No
   * other asset is spent. Default: false.
   */
  readonly conversion?: boolean;
}

/**
 * How an order is sent, or why not. `ready`: queue it with this destination and source. `held`: not now, for a reason of
 * the service or the market. `failed`: the recipient cannot receive it.
 */
export type Planned =
  | {
      readonly state: 'ready';
      readonly destination: Readonly<Record<string, string>>;
      /** The asset that is exchanged, at most `max` of it. Null: the order's own asset. */
      readonly source: { readonly asset: string; readonly max: bigint; readonly path: readonly string[] } | null;
    }
  | ({ readonly state: 'held' | 'failed' } & OutboundFailure);

/** What a lane of the queue sends through: a `Sender`, or a `CarrierSender`. */
export interface Lane {
  /** The name in the queue (`outbound_transfers.rail`). Each sender has its own. */
  readonly lane: string;
  /** Decides how an order is sent now. Each order is planned alone. Without `plan`, each order is sent as it is. */
  plan?(order: Order): Promise<Planned>;
}

/** The network did not answer, or its answer cannot be read. A later attempt may succeed. */
export abstract class NetworkUnavailable extends Error {
  /** The name of the network, for people. */
  abstract readonly network: string;
  readonly retryAfterSeconds: number | null;
  constructor(message: string, options: { readonly cause?: unknown; readonly retryAfterSeconds?: number | null } = {}) {
    super(message, { cause: options.cause });
    this.name = new.target.name;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
  }
}

/** The code of an order that is held because its network does not answer. */
export const networkAway = 'unavailable';

/** Why an order is held that the service cannot pay now. */
export const underfunded: OutboundFailure = {
  code: 'treasury_underfunded',
  message: 'The service does not hold enough of the asset.',
};

/** The sweep that sends money through banks, card acquirers and mobile money. */
export const sendSweep = 'outbound.send';

/** The sweep that builds the carriers of a lane. */
export function buildSweep(lane: string): string {
  return `outbound.build.${lane}`;
}

/** The sweep that submits the carriers of a lane and follows them. */
export function followSweep(lane: string): string {
  return `outbound.follow.${lane}`;
}

/** Money to send. `id` is the idempotency key: a sender executes a repeated order once. */
export interface SendOrder {
  readonly id: string;
  readonly merchantId: string;
  /** The rail's reference of the charge or credit to refund. Null: the money goes to `destination`. */
  readonly original: string | null;
  /** Minor units. */
  readonly amount: bigint;
  readonly currency: string;
  /** The account to pay, in the fields of the rail. Null: the sender of `original`. */
  readonly destination: Readonly<Record<string, string>> | null;
  /** For the recipient's statement, if the rail supports it: at most 140 characters. */
  readonly text?: string | null;
  readonly now: Date;
}

/** The state of an order. `pending`: the rail has it and decides later. `unknown`: no answer, so the queue asks again. */
export type SendOutcome =
  | { readonly state: 'completed' | 'pending'; readonly railReference: string }
  | { readonly state: 'failed'; readonly code: string; readonly message: string }
  | { readonly state: 'unknown' };

/**
 * Sends orders through a provider that executes a repeated order once: a bank, an acquirer's refunds, a mobile-money
 * operator. A chain sends in carriers instead (`CarrierSender`).
 */
export interface Sender extends Lane {
  /**
   * Takes orders, and returns their outcomes in the same sequence. Executes a repeated order once. When it throws, the
   * queue asks about fewer orders, down to the one at fault.
   */
  send(orders: readonly SendOrder[]): Promise<readonly SendOutcome[]>;
  /** The states of the orders, in the sequence of `orderIds`. Null for an order that the rail never received. */
  status(orderIds: readonly string[], now: Date): Promise<readonly (SendOutcome | null)[]>;
}

/** Maximum number of orders that `inTurns` has under way at the same time. */
const mostAtOnce = 16;

/** No answer. */
export const unknown = { state: 'unknown' } as const;

/**
 * Asks a rail that takes one order a call about all items, a few at a time. Returns the outcomes in the same sequence.
 * If all outcomes of a group are unknown, the rail is unreachable. The other items then become unknown without a call.
 * Each call begins at another item, so items that the rail never answers cannot stop the others.
 */
export async function inTurns<Item, Outcome extends SendOutcome | null>(
  items: readonly Item[],
  ask: (item: Item) => Promise<Outcome>,
): Promise<(Outcome | typeof unknown)[]> {
  const start = Math.floor(Math.random() * items.length);
  const turned = [...items.slice(start), ...items.slice(0, start)];
  const outcomes: (Outcome | typeof unknown)[] = [];
  for (let from = 0; from < items.length; from += mostAtOnce) {
    const turn = await Promise.all(turned.slice(from, from + mostAtOnce).map(ask));
    outcomes.push(...turn);
    if (turn.every(outcome => outcome?.state === 'unknown')) break;
  }
  return items.map((_, index) => {
    const outcome = outcomes[(index - start + items.length) % items.length];
    return outcome === undefined ? unknown : outcome;
  });
}

/** The calls of a rail that takes one order at a time. */
interface SingleCalls {
  send(order: SendOrder): Promise<SendOutcome>;
  status(orderId: string, now: Date): Promise<SendOutcome | null>;
}

/** Makes a sender of a rail that takes one order at a time. */
export function createSingleSender(lane: string, calls: SingleCalls): Sender {
  return {
    lane,
    send: orders => inTurns(orders, order => calls.send(order)),
    status: (orderIds, now) => inTurns(orderIds, orderId => calls.status(orderId, now)),
  };
}
