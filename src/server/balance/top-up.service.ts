import type { CreateTopUp, TopUp } from '../../api/balance/top-up.ts';
import { PayError } from '../../core/error.ts';
import { newId } from '../../core/id.ts';
import type { CryptoRail } from '../chains/chain.ts';
import { isAsset, readAmount, readNewUnit } from '../ledger/balance-money.ts';
import { cryptoRails } from '../payments/crypto/crypto-price.service.ts';
import { insertRoute } from '../payments/crypto/deposit.store.ts';
import { watchOwnAccount } from '../payments/crypto/deposit-watch.service.ts';
import { withFreeTag } from '../payments/crypto/payment-crypto.service.ts';
import type { Tx } from '../platform/db/database.ts';
import { createRows } from '../platform/events/change.ts';
import type { Caller } from '../platform/http/access/caller.ts';
import type { BankRail } from '../rails/rail.ts';
import type { BalanceMoveDeps } from './balance-deps.ts';
import type { TopUpRow } from './tables.ts';
import { topUpResource, topUpToWire } from './top-up.view.ts';

/** A checked request for a top-up, and the rail that receives the money. */
export interface PlannedTopUp extends Pick<TopUpRow, 'currency' | 'amount' | 'metadata'> {
  readonly by: { readonly bank: BankRail } | { readonly crypto: CryptoRail };
}

/**
 * Checks a request and finds the rail. Throws the errors of `readNewUnit` and `readAmount`. Throws `invalid_currency` or
 * `invalid_asset` if no rail accepts the currency or asset, and `unavailable` if the chain does not respond.
 */
export async function planTopUp(deps: BalanceMoveDeps, caller: Caller, body: CreateTopUp): Promise<PlannedTopUp> {
  const currency = readNewUnit(body, deps.rates.asset);
  const amount = body.amount === undefined ? null : readAmount(body.amount, currency);
  const by = isAsset(currency)
    ? { crypto: await chainFor(deps, caller.livemode, currency) }
    : { bank: bankFor(deps, caller.livemode, currency) };
  return { currency, amount, metadata: body.metadata ?? {}, by };
}

function bankFor({ rails }: BalanceMoveDeps, livemode: boolean, currency: string): BankRail {
  const banks = rails.banks.filter(bank => bank.livemode === livemode);
  const bank = banks.find(each => each.currency === currency);
  if (bank !== undefined) return bank;
  const known = banks.map(each => each.currency).join(', ');
  const message = `No bank of this server accepts ${currency}. ${known === '' ? 'Top up an asset.' : `Use ${known}.`}`;
  throw new PayError('invalid_currency', message, { param: 'currency' });
}

/** The chain where the service's own account accepts the asset. Also starts reading that account's deposits. */
async function chainFor(deps: BalanceMoveDeps, livemode: boolean, asset: string): Promise<CryptoRail> {
  for (const rail of cryptoRails(deps, livemode)) {
    const accepted = (await rail.chain.acceptedAssets(rail.account)) ?? [];
    if (!accepted.includes(asset)) continue;
    if (await watchOwnAccount(deps, rail)) return rail;
    throw new PayError('unavailable', `${rail.chain.name} cannot be reached right now. Try again in a minute.`);
  }
  const message = `This server cannot receive ${asset.split(':')[0]}.`;
  throw new PayError('invalid_asset', message, { param: 'asset' });
}

/** Inserts a planned top-up with its bank reference or deposit tag, and its event. */
export async function createTopUp(
  deps: BalanceMoveDeps,
  tx: Tx,
  { merchant, livemode, now }: Caller,
  { by, ...plan }: PlannedTopUp,
): Promise<TopUp> {
  const id = newId('topUp');
  const place = 'bank' in by ? bankPlace(by.bank) : await chainPlace(tx, by.crypto, merchant.id, id);
  const row: TopUpRow = {
    merchant_id: merchant.id,
    id,
    livemode,
    ...plan,
    ...place,
    amount_received: 0n,
    status: 'awaiting_funds',
    event_sequence: 1,
    created_at: now,
  };
  const context = { ...deps, merchant };
  await createRows(tx, topUpResource, context, 'top_up.created', [row]);
  return topUpToWire(context, row);
}

function bankPlace(bank: BankRail) {
  return { rail: bank.id, reference: bank.newReference(), account: null, tag: null };
}

async function chainPlace(tx: Tx, { chain, account }: CryptoRail, merchantId: string, id: string) {
  const route = { network: chain.network, merchant_id: merchantId, payment_id: null, top_up_id: id };
  const tag = await withFreeTag(tx, chain, free =>
    insertRoute(tx, { ...route, key: chain.receive.newTarget(account, free).key }),
  );
  return { rail: chain.id, reference: null, account, tag };
}
