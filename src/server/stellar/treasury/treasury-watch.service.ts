import type { EventType } from '../../../api/event.ts';
import type { TreasuryBalance } from '../../../api/treasury.ts';
import type { Clock } from '../../../core/clock.ts';
import { formatUnits, stellarDecimals } from '../../../core/money.ts';
import type { Tx } from '../../platform/db/database.ts';
import { recordNextEvent } from '../../platform/events/outbox.ts';
import type { StellarBalance } from '../network.ts';
import type { TreasuryDeps } from './treasury-deps.ts';
import { crossing, type Floors } from './treasury-view.ts';
import { findSeen, lockTreasury, type SeenBalance, saveSeen } from './treasury-watch.store.ts';

/** What raising an alarm about the treasury needs. */
export interface TreasuryAlarmDeps {
  readonly treasury: string;
  readonly clock: Clock;
  readonly log: TreasuryDeps['log'];
  readonly floors: Floors;
  /** Whether the network carries real money. */
  readonly livemode: boolean;
  /** The merchant that is told of the treasury: the operator’s own. */
  readonly operator: () => Promise<string>;
}

/** What watching the treasury needs. */
export interface TreasuryWatchDeps extends TreasuryDeps, Omit<TreasuryAlarmDeps, 'treasury'> {
  readonly assets: readonly string[];
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
  const balances = ['XLM', ...deps.assets.filter(asset => asset !== 'XLM')].map(
    asset => account?.balances.find(balance => balance.asset === asset) ?? nothingOf(asset),
  );
  await deps.db.transaction().execute(async tx => {
    await lockTreasury(tx, treasury);
    const seen = await findSeen(tx, treasury);
    for (const balance of balances) await judge(deps, tx, balance, seen.get(balance.asset));
  });
  return new Map(balances.map(({ asset, spendable }) => [asset, spendable]));
}

function nothingOf(asset: string): StellarBalance {
  return { asset, balance: 0n, room: 0n, spendable: 0n, authorized: true };
}

async function judge(
  deps: TreasuryWatchDeps,
  tx: Tx,
  balance: StellarBalance,
  before: SeenBalance | undefined,
): Promise<void> {
  const crossed = crossing(before?.low ?? false, balance.spendable, deps.floors(balance.asset));
  const isFrozen = !balance.authorized && (before?.authorized ?? true);
  const alarms = { ...deps, treasury: deps.signer.treasury };
  if (crossed === 'low') await raiseAlarm(alarms, tx, 'treasury.low', balance);
  if (isFrozen) await raiseAlarm(alarms, tx, 'treasury.frozen', balance);
  await saveSeen(tx, deps.signer.treasury, balance, crossed === null ? (before?.low ?? false) : crossed === 'low');
}

/** What an alarm is about. */
export interface AlarmingBalance extends Pick<StellarBalance, 'asset' | 'spendable' | 'authorized'> {
  /** What an issuer has just taken back, in stroops. */
  readonly clawedBack?: bigint;
}

const sentences = {
  'treasury.low': 'the treasury runs low',
  'treasury.frozen': 'an issuer froze what the treasury holds',
  'treasury.clawed_back': 'an issuer took money back from the treasury',
} as const satisfies Partial<Record<EventType, string>>;

/** Tells the operator, by the log and an event. The caller holds the treasury locked. */
export async function raiseAlarm(
  deps: TreasuryAlarmDeps,
  tx: Tx,
  type: keyof typeof sentences,
  balance: AlarmingBalance,
): Promise<void> {
  const text = (amount: bigint) => formatUnits(amount, stellarDecimals);
  const object: TreasuryBalance = {
    id: `${deps.treasury}:${balance.asset}`,
    object: 'treasury',
    account: deps.treasury,
    asset: balance.asset,
    spendable: text(balance.spendable),
    floor: text(deps.floors(balance.asset)),
    authorized: balance.authorized,
    clawed_back: balance.clawedBack === undefined ? null : text(balance.clawedBack),
    livemode: deps.livemode,
  };
  deps.log.error(object, sentences[type]);
  await recordNextEvent(tx, {
    merchantId: await deps.operator(),
    livemode: deps.livemode,
    type,
    resourceId: object.id,
    object,
    previous: null,
    now: deps.clock.now(),
  });
}
