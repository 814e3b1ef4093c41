import { formatAsset } from '../../core/asset.ts';
import { PayError } from '../../core/error.ts';
import { convertUp } from '../../core/rate.ts';
import { unitText } from '../../core/unit.ts';
import type { CryptoRail } from '../chains/chain.ts';
import { createStellarChain, createStellarPayees } from '../chains/stellar-chain.ts';
import { createStellarWallets } from '../chains/stellar-wallets.ts';
import { findFirstMerchant } from '../merchants/merchant.store.ts';
import type { CarrierSender } from '../outbound/carrier.ts';
import { NetworkUnavailable } from '../outbound/sender.ts';
import type { PaymentDeps } from '../payments/payment-deps.ts';
import { createFiatConversions } from '../payments/settling/fiat-conversion.service.ts';
import { createPaymentSettlements } from '../payments/settling/payment-settlement.service.ts';
import { createAnswerCache } from '../platform/answer-cache.ts';
import type { Sweep } from '../platform/jobs/sweeper.ts';
import type { Log } from '../platform/logging.ts';
import type { Gauge } from '../platform/metrics.ts';
import { createAddressWatch } from '../settlement/address-watch.ts';
import { createConversionSweep } from '../settlement/conversions/conversion.jobs.ts';
import { createConversionBegin } from '../settlement/conversions/conversion-begin.service.ts';
import { createConversionPurpose } from '../settlement/conversions/conversion-outcome.service.ts';
import { createConversionWatch } from '../settlement/conversions/conversion-watch.ts';
import { createSettlementPurpose, settlementSweeps } from '../settlement/settlement.service.ts';
import { createClaimSweep } from '../stellar/treasury/claimable-balance.service.ts';
import { coverageOf, type DeliveryPlanDeps, planDelivery } from '../stellar/treasury/delivery-plan.service.ts';
import { createDestinations } from '../stellar/treasury/destination.ts';
import { createTreasury, type Treasury } from '../stellar/treasury/treasury.ts';
import { createLedgerView, createTreasuryView } from '../stellar/treasury/treasury-deps.ts';
import type { Faucet } from '../stellar/treasury/treasury-setup.service.ts';
import type { Stellar } from './create-stellar.ts';

interface StellarMoneyDeps {
  readonly payments: Pick<
    PaymentDeps,
    'db' | 'clock' | 'wake' | 'outbound' | 'rates' | 'findMerchant' | 'secrets' | 'publicUrl' | 'hosts' | 'purposes'
  >;
  readonly log: Log;
  readonly stellar: Pick<
    Stellar,
    'network' | 'signer' | 'assets' | 'feeCap' | 'resumeCode' | 'livemode' | 'pollMs' | 'links' | 'friendbot'
  >;
  /** Creates free test money on the sandbox network. Null on other networks. */
  readonly faucet: (Faucet & { readonly address: string }) | null;
  /** Whether the network accepts requests yet. The sandbox network accepts none before this server listens. */
  readonly isReachable: () => boolean;
}

/** The treasury's balance of an asset is reported as low below this amount in stroops: 100 units. */
const floorUnits = 100n * 10n ** 7n;

/** Milliseconds for which delivery plans reuse treasury balances. A transfer reads the balances again. */
const holdingsMs = 500;

/** Creates the chain, the treasury and settlement. */
export function createStellarMoney(deps: StellarMoneyDeps) {
  const { payments, log, stellar, isReachable } = deps;
  const { network, signer, livemode } = stellar;
  const { db } = payments;
  const destinations = createDestinations(network, signer.treasury);
  const watched = { ...watchOf(deps), network, livemode, treasury: signer.treasury };
  const parts = { ...watched, ...partsOf(deps), destinations };
  const treasury = createTreasury(parts);
  const rail = railOf(deps, createStellarPayees(destinations));
  const settlements = createPaymentSettlements(payments, { livemode, chain: rail.chain.id });
  const addresses = createAddressWatch({
    payments: settlements,
    // Null in the sandbox, where the server itself opens an account for the first merchant.
    findFirstMerchant: async () => (deps.faucet === null ? await findFirstMerchant(db) : null),
  });
  const settling = { ...pricesOf(deps), db, log, payments: settlements, treasuryIsSetUp: treasury.setUp };
  const conversions = conversionsOf(deps, rail.chain.id, treasury.setUp);
  const whenReachable = onlyWhen(isReachable);
  const planning = planningOf(deps, treasury, destinations);
  const sender: CarrierSender = {
    ...treasury.sender,
    plan: order => planDelivery(planning, order),
    room: async () => (isReachable() ? await treasury.sender.room() : 0),
  };
  return {
    rail,
    treasury: {
      sweeps: [...treasury.sweeps, createClaimSweep(parts)].map(whenReachable),
      gauges: gaugesOf(treasury),
      remarks: treasury.remarks,
    },
    settlement: {
      sweeps: [
        ...[...settlementSweeps(settling, watched), conversions.sweep].map(whenReachable),
        ...[addresses.sweep, conversions.watch.sweep],
      ],
      gauges: [conversions.watch.gauge],
      remarks: () => [...addresses.remarks(), ...conversions.watch.remarks()],
      purposes: [createSettlementPurpose(settlements), conversions.purpose],
      convert: conversions.begin,
    },
    sender,
    coverage: (asset: string, wanted: bigint) => coverageOf(planning, asset, wanted),
  };
}

/** What the plans of deliveries need. Plans within `holdingsMs` share one reading of the treasury's balances. */
function planningOf(
  { payments: { rates }, stellar: { network } }: StellarMoneyDeps,
  { available }: Treasury,
  destinations: DeliveryPlanDeps['destinations'],
): DeliveryPlanDeps {
  const holdings = createAnswerCache({ holdMs: holdingsMs, most: 1 }, available);
  return {
    network,
    destinations,
    spendable: () => holdings.read('all'),
    worth: (asset, amount, inAsset) => worth(rates, asset, amount, inAsset),
  };
}

/** What the watches of the treasury need besides the network. */
function watchOf({ payments: { db, clock }, log }: StellarMoneyDeps) {
  const operator = async () => (await findFirstMerchant(db))?.id ?? '';
  return { db, clock, log, floors: () => floorUnits, operator };
}

/** What only the treasury needs. */
function partsOf({ payments, stellar, faucet }: StellarMoneyDeps) {
  const { network, signer, friendbot } = stellar;
  return {
    wake: payments.wake,
    signer,
    assets: stellar.assets,
    feeCap: stellar.feeCap,
    resumeCode: stellar.resumeCode,
    pollMs: stellar.pollMs,
    faucet: faucet ?? (friendbot === null ? null : { open: friendbot.open, fill: nothingToFill }),
    view: createTreasuryView(network, signer.treasury),
    ledger: createLedgerView(network),
  };
}

/** The assets and prices that settlement uses. */
function pricesOf({ payments: { rates, outbound } }: StellarMoneyDeps) {
  return {
    outbound,
    listedAsset: (name: string) => listedAsset(rates, name),
  };
}

/** The conversions of crypto whose payments are settled in a currency. */
function conversionsOf(deps: StellarMoneyDeps, chain: string, treasuryIsSetUp: Treasury['setUp']) {
  const { payments, stellar } = deps;
  const { db, clock, wake } = payments;
  const { listedAsset: listed, outbound } = pricesOf(deps);
  const conversions = createFiatConversions(payments, chain);
  const { treasury } = stellar.signer;
  return {
    begin: createConversionBegin({ db, payments: conversions, livemode: stellar.livemode, listedAsset: listed, wake }),
    sweep: createConversionSweep({ db, clock, payments: conversions, outbound, treasury, treasuryIsSetUp }),
    purpose: createConversionPurpose(conversions),
    watch: createConversionWatch(db),
  };
}

/** The sweep does nothing while the network accepts no requests, or does not answer. */
function onlyWhen(isReachable: () => boolean): (sweep: Sweep) => Sweep {
  const unlessAway = (error: unknown) => {
    if (error instanceof NetworkUnavailable) return 0;
    throw error;
  };
  return sweep => ({ ...sweep, run: async () => (isReachable() ? await sweep.run().catch(unlessAway) : 0) });
}

function railOf({ stellar, faucet }: StellarMoneyDeps, payees: CryptoRail['payees']): CryptoRail {
  const { network, signer, livemode, links } = stellar;
  return {
    chain: createStellarChain({ network, payUri: links.payUri, transactionUrl: links.transactionUrl }),
    livemode,
    account: signer.treasury,
    wallets: createStellarWallets(network),
    payees,
    suppliers: faucet === null ? [] : [faucet.address],
  };
}

/** Does nothing, because testnet's friendbot pays only XLM and there is no source of other assets. */
async function nothingToFill(): Promise<void> {}

function gaugesOf({ holdings, channelsAhead, backlog }: Treasury): Gauge[] {
  return [
    {
      name: 'pay_treasury_spendable',
      help: 'Amount that the treasury can send, in whole units, at the last check.',
      label: 'asset',
      read: () => wholeUnits(holdings()),
    },
    {
      name: 'pay_treasury_channels_ahead',
      help: 'Channel accounts with transactions that the database does not know. Above 0, nothing is sent.',
      read: channelsAhead,
    },
    {
      name: 'pay_transfers_waiting',
      help: 'Transfers of all kinds that wait to be sent from the treasury: payouts, refunds, settlements and more.',
      label: 'state',
      read: backlog.counts,
    },
    {
      name: 'pay_transfers_waiting_seconds',
      help: 'Waiting time of the oldest of these transfers, in seconds.',
      read: backlog.oldestSeconds,
    },
  ];
}

function wholeUnits(stroops: ReadonlyMap<string, bigint>): ReadonlyMap<string, number> {
  return new Map([...stroops].map(([asset, amount]) => [asset, Number(unitText(amount, asset))]));
}

function listedAsset(rates: PaymentDeps['rates'], name: string): string | null {
  try {
    return formatAsset(rates.listedAsset(name, 'settlement_asset'));
  } catch (error) {
    if (error instanceof PayError) return null;
    throw error;
  }
}

/** Converts an amount into another asset, rounded up. Null if no rate is known now. */
async function worth(
  rates: PaymentDeps['rates'],
  asset: string,
  amount: bigint,
  inAsset: string,
): Promise<bigint | null> {
  try {
    return convertUp(amount, (await rates.find(asset, inAsset)).rate);
  } catch (error) {
    if (error instanceof PayError && (error.code === 'rate_unavailable' || error.code === 'asset_not_listed'))
      return null;
    throw error;
  }
}
