import { formatAsset } from '../../core/asset.ts';
import { PayError } from '../../core/error.ts';
import { convertUp } from '../../core/rate.ts';
import type { CryptoRefunds } from '../chains/chain.ts';
import { findFirstMerchant } from '../merchants/merchant.store.ts';
import type { PaymentDeps } from '../payments/payment-deps.ts';
import { createPaymentSettlements } from '../payments/payment-settlement.service.ts';
import { refundSweep } from '../payments/refunds/refund.service.ts';
import { makeDue } from '../payments/refunds/refund-claim.store.ts';
import { returnSweep } from '../payments/transfers/transfer-return.service.ts';
import type { Sweep } from '../platform/jobs/sweeper.ts';
import type { Log } from '../platform/logging.ts';
import { clawbackSweep, settledSweep, settlementSweeps } from '../settlement/settlement.service.ts';
import { createStellarRefunds, refundedSweep } from '../settlement/stellar-refunds.ts';
import type { StellarNetwork } from '../stellar/network.ts';
import type { StellarSigner } from '../stellar/signing/signer.ts';
import { createClaimSweep } from '../stellar/treasury/claimable-balance.service.ts';
import { createDestinations } from '../stellar/treasury/destination.ts';
import { createSubmission, type Submission } from '../stellar/treasury/treasury.ts';
import type { Floors } from '../stellar/treasury/treasury-account.ts';
import type { Faucet } from '../stellar/treasury/treasury-setup.service.ts';
import { createLedgerView, createTreasuryView } from '../stellar/treasury/treasury-view.ts';

/** What sending money out of the treasury is put together from. */
export interface MoneyOutDeps {
  readonly payments: Pick<
    PaymentDeps,
    'db' | 'clock' | 'wake' | 'rates' | 'findMerchant' | 'secrets' | 'publicUrl' | 'purposes'
  >;
  readonly log: Log;
  readonly network: StellarNetwork;
  readonly signer: StellarSigner;
  /** What the treasury takes and holds: wire texts. */
  readonly assets: readonly string[];
  /** Who gives money away, on a network where nothing is real. */
  readonly faucet: Faucet | null;
  /** Whether the network carries real money. */
  readonly livemode: boolean;
  /** The most that is offered as network fee for an operation, in stroops. */
  readonly feeCap: bigint;
  /** What the operator says to transactions of the treasury that the database does not know. */
  readonly resumeCode: string | null;
  readonly floors: Floors;
  /** How often a transaction that waits for a ledger is asked after, in milliseconds. */
  readonly pollMs: number;
}

/** Everything that sends money out of the treasury. */
export interface MoneyOut {
  readonly submission: Submission;
  readonly refunds: CryptoRefunds;
  readonly sweeps: readonly Sweep[];
}

/** Puts submission, settlement and refunds together, with what they need of payments. */
export function createMoneyOut(deps: MoneyOutDeps): MoneyOut {
  const { payments, log, network, signer, livemode } = deps;
  const { db, clock, wake } = payments;
  const destinations = createDestinations(network);
  const operator = async () => (await findFirstMerchant(db))?.id ?? '';
  const engine = {
    ...{ db, clock, wake, log, network, signer, destinations, livemode, operator, resumeCode: deps.resumeCode },
    ...{ assets: deps.assets, faucet: deps.faucet, feeCap: deps.feeCap, floors: deps.floors, pollMs: deps.pollMs },
    treasury: createTreasuryView(network, signer.treasury),
    ledger: createLedgerView(network),
    random: Math.random,
    endedSweeps: { settlement: settledSweep, refund: refundedSweep },
  };
  const submission = createSubmission(engine);
  const refunds = createStellarRefunds({
    ...{ db, log, wake, submission, destinations, livemode, treasury: signer.treasury },
    onEnded: async (merchantId, refundId) => {
      await makeDue(db, merchantId, refundId);
      wake(refundSweep);
      wake(returnSweep);
    },
  });
  const settlements = settlementSweeps({
    ...{ db, log, wake, network, destinations, submission, treasury: signer.treasury },
    spendable: submission.available,
    payments: createPaymentSettlements(payments, livemode),
    assetText: name => formatAsset(payments.rates.asset(name, 'settlement_asset')),
    worth: (asset, amount, inAsset) => worth(payments.rates, asset, amount, inAsset),
  });
  const clawbacks = clawbackSweep({
    ...{ db, clock, log, network, livemode, operator, treasury: signer.treasury, floors: deps.floors },
  });
  const claims = createClaimSweep(engine);
  return { submission, refunds, sweeps: [...submission.sweeps, ...settlements, ...refunds.sweeps, clawbacks, claims] };
}

/** What `amount` of an asset is in another, rounded up; null where there is no rate between the two now. */
async function worth(
  rates: PaymentDeps['rates'],
  asset: string,
  amount: bigint,
  inAsset: string,
): Promise<bigint | null> {
  try {
    return convertUp(amount, (await rates.find(asset, inAsset)).rate);
  } catch (error) {
    if (error instanceof PayError && error.code === 'rate_unavailable') return null;
    throw error;
  }
}
