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

/** Plans the orders of a lane. Lanes without a planner send each order as it is. */
export interface Planner {
  readonly lane: string;
  /** Decides how an order is sent now. Each order is planned alone. */
  plan(order: Order): Promise<Planned>;
}

/** The code of an order that is held because its network does not answer. */
export const networkAway = 'unavailable';

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

/** The state of an order. `pending`: the rail decides later. `unknown`: no answer, so the order must be repeated. */
export type SendOutcome =
  | { readonly state: 'completed' | 'pending'; readonly railReference: string }
  | { readonly state: 'failed'; readonly code: string; readonly message: string }
  | { readonly state: 'unknown' };

/** Sends the orders of one lane of the queue: a bank, an acquirer's refunds, a mobile-money operator. */
export interface Sender {
  /** The name in the queue (`outbound_transfers.rail`). Each sender has its own. */
  readonly lane: string;
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

const unknown = { state: 'unknown' } as const;

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
