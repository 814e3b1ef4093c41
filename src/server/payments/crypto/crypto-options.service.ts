import type { CryptoAssetOption, PayerWallet } from '../../../api/crypto.ts';
import type { PaymentOptions } from '../../../api/payment.ts';
import { currencyDecimals } from '../../../core/currency.ts';
import { PayError } from '../../../core/error.ts';
import { formatRate } from '../../../core/rate.ts';
import { unitOf, unitText } from '../../../core/unit.ts';
import type { CryptoRail, WalletHolding } from '../../chains/chain.ts';
import { keyOf } from '../payment.store.ts';
import type { PaymentDeps, PaymentRouteDeps } from '../payment-deps.ts';
import type { PaymentRow } from '../tables.ts';
import { cryptoRails, payableAssets, priceIn, settlementAsset } from './crypto-price.service.ts';
import { findOffers } from './deposit.store.ts';
import { networkOf, walletsOf } from './wallet-transaction.ts';

/** An asset that the payer may send, and its amount. */
interface Payable {
  readonly asset: string;
  readonly amount: bigint;
}

/**
 * The assets that the payer can send on any chain, with their amounts. Omits assets without a price, and chains that do
 * not respond. `payerAddress` adds the holdings of that account.
 */
export async function cryptoOptions(
  deps: PaymentDeps,
  payment: PaymentRow,
  payerAddress: string | undefined,
): Promise<NonNullable<PaymentOptions['crypto']>> {
  const found = await Promise.all(
    cryptoRails(deps, payment.livemode).map(async rail => {
      const assets = await payables(deps, rail, payment).catch(noneWithout);
      return { rail, assets, options: await optionsOf(rail, payment, assets).catch(noneWithout) };
    }),
  );
  const assets = found.flatMap(({ options }) => options);
  const first = found.find(({ rail }) => payerAddress !== undefined && rail.chain.isAddress(payerAddress)) ?? found[0];
  if (payerAddress === undefined || first === undefined) return { assets };
  return { assets, wallet: await walletOf(first.rail, first.assets, payerAddress) };
}

async function payables(deps: PaymentDeps, rail: CryptoRail, payment: PaymentRow): Promise<readonly Payable[]> {
  const due = payment.amount - payment.amount_received;
  const offers = await findOffers(deps.db, keyOf(payment), rail.chain.id);
  const priced = await Promise.all(
    (await payableAssets(deps, rail, payment)).map(async asset => {
      const amount = await priceIn(deps, { payment, offers }, asset, due).catch(nullWithoutPrice);
      return amount === null ? [] : [{ asset, amount }];
    }),
  );
  const first = [settlementAsset(deps, payment), rail.chain.nativeAsset];
  const rank = ({ asset }: Payable) => (first.includes(asset) ? first.indexOf(asset) : first.length);
  return priced.flat().sort((a, b) => rank(a) - rank(b) || (a.asset < b.asset ? -1 : 1));
}

/** Returns no options for temporary errors and errors that the merchant must fix. Throws other errors. */
function noneWithout(error: unknown): [] {
  const codes = ['unavailable', 'settlement_account_missing', 'settlement_no_trustline'];
  if (error instanceof PayError && codes.includes(error.code)) return [];
  throw error;
}

function nullWithoutPrice(error: unknown): null {
  if (error instanceof PayError && ['rate_unavailable', 'invalid_amount'].includes(error.code)) return null;
  throw error;
}

async function optionsOf(
  { chain, wallets }: CryptoRail,
  payment: PaymentRow,
  assets: readonly Payable[],
): Promise<readonly CryptoAssetOption[]> {
  if (assets.length === 0) return [];
  const fee = await chain.networkFee();
  const due = payment.amount - payment.amount_received;
  return assets.map(({ asset, amount }) => ({
    chain: chain.id,
    chain_name: chain.name,
    asset,
    amount: unitText(amount, asset),
    rate: formatRate(
      { numerator: amount, denominator: due },
      currencyDecimals(payment.currency),
      unitOf(asset).decimals,
    ),
    network_fee: unitText(fee.amount, fee.asset),
    confirmations: chain.receive.finality(asset, amount).blocks,
    eta_seconds: chain.receive.etaSeconds,
    wallets: [...(wallets?.names ?? [])],
    ...(wallets && networkOf(wallets)),
  }));
}

/** The assets in the payer's account, each with the amount of it that pays the first payable amount (`due`). */
async function walletOf(rail: CryptoRail, [due]: readonly Payable[], address: string): Promise<PayerWallet> {
  if (due === undefined) return { address, problem: null, assets: [] };
  const { problem, assets } = await walletsOf(rail).holdings(address, due);
  return { address, problem, assets: assets.map(holding => holdingToWire(holding)) };
}

function holdingToWire({ asset, balance, amount, amountMax, path }: WalletHolding) {
  const text = (units: bigint | null) => (units === null ? null : unitText(units, asset));
  return {
    asset,
    balance: unitText(balance, asset),
    amount: text(amount),
    amount_max: text(amountMax),
    path: [...path],
  };
}

/**
 * Counts a chain request caused by a payer. The network has one limit for all requests of the service, so each payment
 * may cause only a few. Throws `rate_limited`.
 */
export function assertMayAskChain({ chainQuestions }: PaymentRouteDeps, paymentId: string): void {
  const retryAfterSeconds = chainQuestions.count(paymentId);
  if (retryAfterSeconds === null) return;
  const message = 'Too many attempts. Wait a moment, then try again.';
  throw new PayError('rate_limited', message, { retryAfterSeconds });
}
