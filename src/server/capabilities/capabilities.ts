import type { Capabilities, Capability } from '../../api/dashboard/capabilities.ts';
import type { Clock } from '../../core/clock.ts';
import type { CryptoRail } from '../chains/chain.ts';
import type { PayoutRailType } from '../rails/rail.ts';
import type { Rails } from '../rails/rails.ts';
import type { Rates } from '../rates/rates.ts';
import { missingBankSettings } from '../settings/bank-settings.ts';
import type { Config } from '../settings/config.ts';
import { missingMobileMoneySettings } from '../settings/mobile-money-settings.ts';
import { type ChainReading, createChainReader } from './chain-reader.ts';

/** The parts of the server that the answer describes. */
export interface CapabilityDeps {
  readonly clock: Clock;
  readonly config: Config;
  readonly rails: Rails;
  readonly crypto: readonly CryptoRail[];
  readonly stellar: { readonly livemode: boolean };
  readonly rates: Pick<Rates, 'listed'>;
}

const nothing = {
  arrives_at: null,
  settlement_days: null,
  confirmations: null,
  reason: null,
  unreachable_since: null,
} as const;

/**
 * Creates a function that lists the ways to receive and send money, with the settings that real money still needs. Its
 * parameter `now` is the time at which a payout would be sent.
 */
export function createCapabilities(deps: CapabilityDeps): (now: Date) => Promise<Capabilities> {
  const network = deps.config.network ?? 'sandbox';
  const readers = deps.crypto.map(rail => ({
    rail,
    read: createChainReader(() => rail.chain.acceptedAssets(rail.account), deps.clock),
  }));
  return async now => {
    const chains = await Promise.all(readers.map(async ({ rail, read }) => chainState(deps, rail, await read())));
    return {
      object: 'capabilities',
      network,
      pay_in: [cardOf(deps), ...banksOf(deps), ...phonesOf(deps), ...chains.map(({ payIn }) => payIn)],
      pay_out: [...railsOut(deps, now), ...chains.flatMap(({ payOut }) => payOut ?? [])],
      settlement_assets: [...deps.rates.listed],
      livemode: deps.stellar.livemode,
    };
  };
}

function cardOf({ rails: { cards } }: CapabilityDeps): Capability {
  if (cards.length === 0) return off('card', 'card', 'No card acquirer is connected in live mode.');
  return {
    ...nothing,
    id: 'card',
    type: 'card',
    state: 'on',
    simulated: cards.every(({ livemode }) => !livemode),
    accepts: [...new Set(cards.flatMap(({ brands }) => brands))],
    settings: [],
  };
}

function banksOf({ rails: { banks } }: CapabilityDeps): readonly Capability[] {
  if (banks.length === 0) {
    return [off('bank_transfer', 'bank_transfer', 'No bank account for incoming transfers is connected in live mode.')];
  }
  return banks.map(({ id, livemode, currency, settlementDays }) => ({
    id,
    type: 'bank_transfer',
    state: 'on',
    simulated: !livemode,
    accepts: [currency],
    ...nothing,
    settlement_days: settlementDays,
    settings: [],
  }));
}

function phonesOf({ rails: { phones }, config }: CapabilityDeps): readonly Capability[] {
  const known = missingAt(config, missingMobileMoneySettings(config, 'payIn'));
  const connected: Capability[] = phones.map(({ id, livemode, markets }) => ({
    ...nothing,
    id,
    type: 'mobile_money',
    state: 'on',
    simulated: !livemode,
    accepts: [...new Set(markets.map(({ currency }) => currency))],
    settings: [...(known.get(id) ?? [])],
  }));
  const missing = [...known].filter(([id]) => phones.every(phone => phone.id !== id));
  return [...connected, ...missing.map(([id, settings]) => off(id, 'mobile_money', noAccount, settings))];
}

const noAccount = 'The server has no account there.';

function off(id: string, type: Capability['type'], reason: string, settings: readonly string[] = []): Capability {
  return { id, type, state: 'off', simulated: false, accepts: [], ...nothing, reason, settings: [...settings] };
}

/** The settings that each rail needs for real money, by the names that its group misses. */
function missingAt(config: Config, missing: Readonly<Record<string, readonly string[]>>) {
  const network = config.network === 'public' ? [] : ['PAY_NETWORK'];
  return new Map<string, readonly string[]>(
    Object.entries(missing).map(([id, names]) => [id, [...network, ...names]] as const),
  );
}

/** Payout rails for real money that settings can connect, and their missing settings. */
function missingByRail(config: Config): ReadonlyMap<string, { type: PayoutRailType; settings: readonly string[] }> {
  const rows = (type: PayoutRailType, missing: Readonly<Record<string, readonly string[]>>) =>
    [...missingAt(config, missing)].map(([id, settings]) => [id, { type, settings }] as const);
  return new Map([
    ...rows('bank_account', missingBankSettings(config)),
    ...rows('mobile_money', missingMobileMoneySettings(config, 'payOut')),
  ]);
}

function railsOut({ rails: { payouts }, config }: CapabilityDeps, now: Date): readonly Capability[] {
  const known = missingByRail(config);
  const connected: Capability[] = payouts.map(rail => ({
    id: rail.id,
    type: rail.type,
    state: 'on',
    simulated: !rail.livemode,
    accepts: [],
    ...nothing,
    arrives_at: rail.etaOf(now).toISOString(),
    settings: [...(known.get(rail.id)?.settings ?? [])],
  }));
  const missing = [...known].filter(([id]) => payouts.every(rail => rail.id !== id));
  return [...connected, ...missing.map(([id, { type, settings }]) => off(id, type, noAccount, settings))];
}

/** A chain is `unreachable` while it does not answer, and `off` until the service's account exists on it. */
function chainState({ config }: CapabilityDeps, rail: CryptoRail, { assets, awaySince }: ChainReading) {
  const { chain, livemode, payees } = rail;
  const reason =
    awaySince !== null
      ? `${chain.name} does not answer. Payments and payouts wait.`
      : assets === null
        ? `The account of the service does not exist on ${chain.name} yet.`
        : null;
  const state = awaySince !== null ? ('unreachable' as const) : assets === null ? ('off' as const) : ('on' as const);
  const facts = {
    ...nothing,
    state,
    simulated: config.network === 'sandbox',
    accepts: [...(assets ?? [])],
    reason,
    unreachable_since: awaySince?.toISOString() ?? null,
    settings: livemode ? [] : ['PAY_NETWORK'],
  };
  const { id, nativeAsset, receive } = chain;
  const { blocks: confirmations } = receive.finality(nativeAsset, 0n);
  const payIn: Capability = { id, type: 'crypto', ...facts, confirmations };
  const payOut: Capability | null = payees === null ? null : { id, type: 'crypto_wallet', ...facts };
  return { payIn, payOut };
}
