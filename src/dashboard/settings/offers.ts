import type { DashboardContext } from '../app/dashboard-context.ts';

type Seen = Pick<DashboardContext, 'session' | 'may'>;

/** Whether the service shows the treasury to the person. */
export const seesTreasury = ({ session, may }: Seen): boolean => session?.merchant.is_operator === true && may('money');

/** Whether the mode has a test clock that the person may move. */
export const hasClock = ({ session, may }: Seen): boolean => session?.livemode === false && may('develop');
