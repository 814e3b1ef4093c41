import type { EventType } from '../../../api/event.ts';
import type { TreasuryBalance } from '../../../api/treasury.ts';
import type { Clock } from '../../../core/clock.ts';
import { formatUnits } from '../../../core/money.ts';
import { stellarDecimals } from '../../../core/stellar/stellar-amount.ts';
import type { Tx } from '../../platform/db/database.ts';
import { recordNextEvent } from '../../platform/events/outbox.ts';
import type { StellarBalance } from '../network.ts';
import type { TreasuryDeps } from './treasury-deps.ts';
import { findSeen, lockTreasury, type ReadBalance, type SeenBalance, saveSeen } from './treasury-watch.store.ts';

export interface TreasuryAlarmDeps {
  readonly treasury: string;
  readonly clock: Clock;
  readonly log: TreasuryDeps['log'];
  /** The floor of an asset (stroops). A lower balance raises an alarm. */
  readonly floors: (asset: string) => bigint;
  /** Whether the network carries real money. */
  readonly livemode: boolean;
  /** The operator's own merchant, which gets the events. */
  readonly operator: () => Promise<string>;
}

export interface TreasuryWatchDeps extends TreasuryDeps, Omit<TreasuryAlarmDeps, 'treasury'> {
  readonly assets: readonly string[];
}

/** The treasury's balances at the last reading, for `/metrics`: stroops by asset. */
export type TreasuryHoldings = ReadonlyMap<string, bigint>;

/**
 * Reads the treasury's balances, which are 0 without an account. Raises one alarm when an asset falls below its floor
 * or its issuer freezes it.
 */
export async function watchTreasury(deps: TreasuryWatchDeps): Promise<TreasuryHoldings> {
  const { treasury } = deps.signer;
  const account = await deps.network.account(treasury);
  const balances = ['XLM', ...deps.assets.filter(asset => asset !== 'XLM')].map(
    asset => account?.balances.find(balance => balance.asset === asset) ?? { asset, spendable: 0n, authorized: true },
  );
  await deps.db.transaction().execute(async tx => {
    await lockTreasury(tx, treasury);
    const seen = await findSeen(tx, treasury);
    const read: ReadBalance[] = [];
    for (const balance of balances) {
      read.push({ ...balance, low: await judge(deps, tx, balance, seen.get(balance.asset)) });
    }
    await saveSeen(tx, treasury, read);
  });
  return new Map(balances.map(({ asset, spendable }) => [asset, spendable]));
}

/** The balance in an alarm. `clawedBack`: the amount that the asset's issuer has just clawed back, in stroops. */
export interface AlarmingBalance extends Pick<StellarBalance, 'asset' | 'spendable' | 'authorized'> {
  readonly clawedBack?: bigint;
}

/** Raises the alarms of a balance. Returns whether it is low. */
async function judge(
  deps: TreasuryWatchDeps,
  tx: Tx,
  balance: AlarmingBalance,
  before: SeenBalance | undefined,
): Promise<boolean> {
  const crossed = crossing(before?.low ?? false, balance.spendable, deps.floors(balance.asset));
  const isFrozen = !balance.authorized && (before?.authorized ?? true);
  const alarms = { ...deps, treasury: deps.signer.treasury };
  if (crossed === 'low') await raiseAlarm(alarms, tx, 'treasury.low', balance);
  if (isFrozen) await raiseAlarm(alarms, tx, 'treasury.frozen', balance);
  return crossed === null ? (before?.low ?? false) : crossed === 'low';
}

/**
 * `low`: the balance fell below its floor. `filled`: it is a tenth above the floor again, which avoids repeated alarms.
 */
export function crossing(wasLow: boolean, spendable: bigint, floor: bigint): 'low' | 'filled' | null {
  if (!wasLow && spendable < floor) return 'low';
  if (wasLow && spendable >= floor + floor / 10n) return 'filled';
  return null;
}

const sentences = {
  'treasury.low': 'the treasury runs low',
  'treasury.frozen': 'an issuer froze a balance of the treasury',
  'treasury.clawed_back': 'an issuer clawed back an amount from the treasury',
} as const satisfies Partial<Record<EventType, string>>;

/** Alerts the operator by a log line and an event. The caller has locked the treasury. */
export async function raiseAlarm(
  deps: TreasuryAlarmDeps,
  tx: Tx,
  type: keyof typeof sentences,
  balance: AlarmingBalance,
): Promise<void> {
  const { treasury, livemode } = deps;
  const text = (amount: bigint) => formatUnits(amount, stellarDecimals);
  const object: TreasuryBalance = {
    id: `${treasury}:${balance.asset}`,
    object: 'treasury',
    account: treasury,
    asset: balance.asset,
    spendable: text(balance.spendable),
    floor: text(deps.floors(balance.asset)),
    authorized: balance.authorized,
    clawed_back: balance.clawedBack === undefined ? null : text(balance.clawedBack),
    livemode,
  };
  deps.log.error(object, sentences[type]);
  const merchantId = await deps.operator();
  await recordNextEvent(tx, {
    merchantId,
    livemode,
    type,
    resourceId: object.id,
    object,
    previous: null,
    now: deps.clock.now(),
  });
}
