import type { Capability } from '../../api/dashboard/capabilities.ts';
import type { PayoutDestination } from '../../api/payout.ts';
import { wayName } from '../../core/locale/way-name.ts';
import type { DashboardPage } from '../app/dashboard-page.ts';
import { Loaded } from '../app/loaded.ts';

/** The rails and chains for payouts, with their states. Null: not known, so the pages show no obstacles. */
export type WaysOut = readonly Capability[] | null;

/** Loads the rails and chains for a page. The page also works without them, because the service checks each payout. */
export const loadWaysOut = (page: DashboardPage): Loaded<readonly Capability[]> =>
  new Loaded(page, async signal => (await page.app.client.capabilities.retrieve({ signal })).pay_out);

/** The connected operators of mobile money as the choices of a menu. */
export const operatorsOf = (ways: WaysOut): readonly (readonly [id: string, name: string])[] =>
  (ways ?? []).filter(way => way.type === 'mobile_money' && isOn(way)).map(way => [way.id, wayName(way.id)] as const);

const isOn = ({ state }: Capability): boolean => state === 'on';
const refused = 'The service refuses payouts there.';

/** The reason why no rail can pay to the destination now, and the consequence. Null: no obstacle is known. */
export function obstacleTo(destination: Partial<PayoutDestination> | null, ways: WaysOut): string | null {
  if (destination === null || ways === null) return null;
  if (destination.type === 'crypto_wallet') return obstacleToWallet(destination, ways);
  const rails = ways.filter(way => way.type === destination.type && isOn(way));
  if (rails.length === 0) {
    const kind = destination.type === 'mobile_money' ? 'mobile money' : 'bank accounts';
    return `No rail of this server pays to ${kind}. ${refused}`;
  }
  if (destination.type !== 'mobile_money' || !destination.provider) return null;
  const id = destination.provider.trim().toLowerCase();
  return rails.some(rail => rail.id === id) ? null : `${wayName(id)} is not connected to this server. ${refused}`;
}

function obstacleToWallet({ chain }: { readonly chain?: string }, ways: readonly Capability[]): string | null {
  if (!chain) return null;
  const name = wayName(chain);
  const way = ways.find(({ type, id }) => type === 'crypto_wallet' && id === chain);
  if (way?.state === 'on') return null;
  if (way?.state === 'unreachable') return `${name} does not answer now. Payouts there wait until it does.`;
  if (way !== undefined) return `${way.reason ?? `${name} is off.`} Payouts there wait until that changes.`;
  return `No rail of this server pays to wallets on ${name}. A payout there waits on hold, with its money reserved, until one does or you cancel it.`;
}
