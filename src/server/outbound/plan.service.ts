import { createFailingWork, type FailingWork } from '../platform/jobs/failing-work.ts';
import type { Log } from '../platform/jobs/sweeper.ts';
import { type Lane, NetworkUnavailable, networkAway, type Order, type Planned } from './sender.ts';

/** Plans orders of one lane, in their sequence. It never throws. */
export type PlanOrders = (lane: string, orders: readonly Order[]) => Promise<readonly Planned[]>;

/** Number of orders that a process plans at the same time. Most plans request an account from the network. */
const mostAtOnce = 16;

/**
 * Plans the orders of all lanes. An order that cannot be planned is held alone, and stops no other order. `failing`
 * names orders whose every plan fails.
 */
export function createPlanning(lanes: readonly Lane[], log: Log) {
  const failing = createFailingWork();
  const plan: PlanOrders = async (name, orders) => {
    const lane = lanes.find(one => one.lane === name);
    const plans: Planned[] = [];
    const waiting = orders.entries();
    const planNext = async () => {
      for (const [index, order] of waiting) plans[index] = await planAlone(lane, order, failing, log);
    };
    await Promise.all(Array.from({ length: mostAtOnce }, planNext));
    return plans;
  };
  return { plan, failing: failing.seconds };
}

async function planAlone(lane: Lane | undefined, order: Order, failing: FailingWork, log: Log): Promise<Planned> {
  if (lane?.plan === undefined) return { state: 'ready', destination: order.destination, source: null };
  const name = `plan ${lane.lane} ${order.asset} to ${order.destination['address']}`;
  try {
    const plan = await lane.plan(order);
    failing.succeeded(name);
    return plan;
  } catch (error) {
    const details = { err: error, lane: lane.lane, asset: order.asset };
    if (error instanceof NetworkUnavailable) {
      failing.succeeded(name);
      log.warn(details, 'a network cannot be reached; orders wait');
      return { state: 'held', code: networkAway, message: `The ${error.network} network cannot be reached right now.` };
    }
    failing.failed(name);
    log.error(details, 'an order could not be planned and will be tried again');
    return { state: 'held', code: networkAway, message: 'The order cannot be planned now.' };
  }
}
