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
 */
export async function inTurns<Item, Outcome extends SendOutcome | null>(
  items: readonly Item[],
  ask: (item: Item) => Promise<Outcome>,
): Promise<(Outcome | typeof unknown)[]> {
  const outcomes: Outcome[] = [];
  for (let from = 0; from < items.length; from += mostAtOnce) {
    const turn = await Promise.all(items.slice(from, from + mostAtOnce).map(ask));
    outcomes.push(...turn);
    if (turn.every(outcome => outcome?.state === 'unknown')) break;
  }
  return [...outcomes, ...items.slice(outcomes.length).map(() => unknown)];
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
