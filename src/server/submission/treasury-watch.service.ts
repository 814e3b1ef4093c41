import type { EventType } from '../../api/event.ts';
import type { TreasuryBalance } from '../../api/treasury.ts';
import type { Clock } from '../../core/clock.ts';
import { formatUnits, stellarDecimals } from '../../core/money.ts';
import type { Tx } from '../db/database.ts';
import { recordEvent } from '../events/outbox.ts';
import type { StellarBalance } from '../stellar/network.ts';
import type { SubmissionDeps } from './submission-deps.ts';
import { crossing, type Floors } from './treasury.ts';
import { lockSeen, type SeenBalance, saveSeen } from './treasury-watch.store.ts';

/** What watching the treasury needs. */
export interface TreasuryWatchDeps extends SubmissionDeps {
  readonly clock: Clock;
  readonly assets: readonly string[];
  readonly floors: Floors;
  /** Whether the network carries real money. */
  readonly livemode: boolean;
  /** The merchant that is told of the treasury: the operator’s own. */
  readonly operator: () => Promise<string>;
}

/** What the treasury held when it was last looked at, for the metrics page: stroops by asset. */
export type TreasuryHoldings = ReadonlyMap<string, bigint>;

/**
 * Looks at what the treasury holds (nothing, where its account does not exist), and raises an alarm once when an asset
 * falls below its floor or is frozen by its issuer.
 */
export async function watchTreasury(deps: TreasuryWatchDeps): Promise<TreasuryHoldings> {
  const { treasury } = deps.signer;
  const account = await deps.network.account(treasury);
  const operator = await deps.operator();
  const balances = ['XLM', ...deps.assets.filter(asset => asset !== 'XLM')].map(
    asset => account?.balances.find(balance => balance.asset === asset) ?? nothingOf(asset),
  );
  await deps.db.transaction().execute(async tx => {
    const seen = await lockSeen(tx, treasury);
    for (const balance of balances) await judge(deps, tx, operator, balance, seen.get(balance.asset));
  });
  return new Map(balances.map(({ asset, spendable }) => [asset, spendable]));
}

function nothingOf(asset: string): StellarBalance {
  return { asset, balance: 0n, room: 0n, spendable: 0n, authorized: true };
}

async function judge(
  deps: TreasuryWatchDeps,
  tx: Tx,
  operator: string,
  balance: StellarBalance,
  before: SeenBalance | undefined,
): Promise<void> {
  const floor = deps.floors(balance.asset);
  const crossed = crossing(before?.low ?? false, balance.spendable, floor);
  const isFrozen = !balance.authorized && (before?.authorized ?? true);
  const types: EventType[] = [
    ...(crossed === 'low' ? ['treasury.low' as const] : []),
    ...(isFrozen ? ['treasury.frozen' as const] : []),
  ];
  let alarms = before?.alarms ?? 0;
  for (const type of types) await alarm(deps, tx, { operator, type, balance, floor, sequence: ++alarms });
  const low = crossed === null ? (before?.low ?? false) : crossed === 'low';
  await saveSeen(tx, deps.signer.treasury, balance, { low, alarms });
}

interface Alarm {
  readonly operator: string;
  readonly type: EventType;
  readonly balance: StellarBalance;
  readonly floor: bigint;
  readonly sequence: number;
}

async function alarm(
  deps: TreasuryWatchDeps,
  tx: Tx,
  { operator, type, balance, floor, sequence }: Alarm,
): Promise<void> {
  const id = `${deps.signer.treasury}:${balance.asset}`;
  const object: TreasuryBalance = {
    id,
    object: 'treasury',
    account: deps.signer.treasury,
    asset: balance.asset,
    spendable: formatUnits(balance.spendable, stellarDecimals),
    floor: formatUnits(floor, stellarDecimals),
    authorized: balance.authorized,
    livemode: deps.livemode,
  };
  deps.log.error(object, type === 'treasury.low' ? 'the treasury runs low' : 'an issuer froze what the treasury holds');
  await recordEvent(tx, {
    merchantId: operator,
    livemode: deps.livemode,
    type,
    resourceId: id,
    sequence,
    object,
    previous: null,
    now: deps.clock.now(),
  });
}
