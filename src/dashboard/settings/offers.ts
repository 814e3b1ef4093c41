import type { DashboardContext } from '../app/dashboard-context.ts';

type Seen = Pick<DashboardContext, 'session' | 'may'>;

/** Whether the person may see the treasury: at the operator's merchant, with the right to move money. */
export const seesTreasury = ({ session, may }: Seen): boolean => session?.merchant.is_operator === true && may('money');

/** Whether the mode has a test clock, and the person may move it. */
export const hasClock = ({ session, may }: Seen): boolean => session?.livemode === false && may('develop');
