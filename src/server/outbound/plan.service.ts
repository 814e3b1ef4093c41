import type { Log } from '../platform/jobs/sweeper.ts';
import { networkAway, type Order, type Planned, type Planner } from './sender.ts';

/** Plans orders of one lane, in their sequence. It never throws. */
export type PlanOrders = (lane: string, orders: readonly Order[]) => Promise<readonly Planned[]>;

/** Number of orders that a process plans at the same time. Most plans request an account from the network. */
const mostAtOnce = 16;

/** Creates `PlanOrders`. An order that cannot be planned is held alone, and stops no other order. */
export function createPlanning(planners: readonly Planner[], log: Log): PlanOrders {
  return async (lane, orders) => {
    const planner = planners.find(one => one.lane === lane);
    const plans: Planned[] = [];
    const waiting = orders.entries();
    const planNext = async () => {
      for (const [index, order] of waiting) plans[index] = await planAlone(planner, order, log);
    };
    await Promise.all(Array.from({ length: mostAtOnce }, planNext));
    return plans;
  };
}

async function planAlone(planner: Planner | undefined, order: Order, log: Log): Promise<Planned> {
  if (planner === undefined) return { state: 'ready', destination: order.destination, source: null };
  try {
    return await planner.plan(order);
  } catch (error) {
    log.error(
      { err: error, lane: planner.lane, asset: order.asset },
      'an order could not be planned and will be tried again',
    );
    return { state: 'held', code: networkAway, message: 'The order cannot be planned now.' };
  }
}
