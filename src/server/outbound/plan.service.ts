import { createFailingWork, type FailingWork } from '../platform/jobs/failing-work.ts';
import type { Log } from '../platform/jobs/sweeper.ts';
import { networkAway, type Order, type Planned, type Planner } from './sender.ts';

/** Plans orders of one lane, in their sequence. It never throws. */
export type PlanOrders = (lane: string, orders: readonly Order[]) => Promise<readonly Planned[]>;

/** Number of orders that a process plans at the same time. Most plans request an account from the network. */
const mostAtOnce = 16;

/**
 * Plans the orders of all lanes. An order that cannot be planned is held alone, and stops no other order. `failing`
 * names orders whose every plan fails.
 */
export function createPlanning(planners: readonly Planner[], log: Log) {
  const failing = createFailingWork();
  const plan: PlanOrders = async (lane, orders) => {
    const planner = planners.find(one => one.lane === lane);
    const plans: Planned[] = [];
    const waiting = orders.entries();
    const planNext = async () => {
      for (const [index, order] of waiting) plans[index] = await planAlone(planner, order, failing, log);
    };
    await Promise.all(Array.from({ length: mostAtOnce }, planNext));
    return plans;
  };
  return { plan, failing: failing.seconds };
}

async function planAlone(planner: Planner | undefined, order: Order, failing: FailingWork, log: Log): Promise<Planned> {
  if (planner === undefined) return { state: 'ready', destination: order.destination, source: null };
  const name = `plan ${planner.lane} ${order.asset} to ${order.destination['address']}`;
  try {
    const plan = await planner.plan(order);
    failing.succeeded(name);
    return plan;
  } catch (error) {
    failing.failed(name);
    log.error(
      { err: error, lane: planner.lane, asset: order.asset },
      'an order could not be planned and will be tried again',
    );
    return { state: 'held', code: networkAway, message: 'The order cannot be planned now.' };
  }
}
