import type { OperationWire } from '@stellar/stellar-sdk/xdr';
import type { Ledger } from '../core/ledger.ts';
import { poolIdOf } from '../core/state/identifiers.ts';
import { rootKey, type SandboxKey, seededAssets, seededKeys } from './accounts.ts';
import type { MarketPlan } from './market.ts';
import { inventory } from './market.ts';
import {
  createAccount,
  deposit,
  operation,
  payment,
  sellOffer,
  signedEnvelope,
  trust,
  trustPool,
} from './transaction-builder.ts';

const xlm = 10_000_000n;

/** First balances of the accounts, in stroops. */
const firstBalances = {
  market: 20_000_000_000n * xlm,
  friendbot: 20_000_000_000n * xlm,
  faucet: 10_000_000_000n * xlm,
  payer: 10_000_000_000n * xlm,
  impostor: 1_000n * xlm,
  issuer: 1_000_000n * xlm,
  channel: 1_000n * xlm,
} as const;

/**
 * The first transactions of a new network: accounts, trust lines, balances and the market. Each group becomes one
 * ledger.
 */
export function* firstTransactions(ledger: Ledger, plan: MarketPlan): Iterable<readonly string[]> {
  const send = (source: SandboxKey, bodies: readonly OperationWire['body'][]): string => {
    const sequence = ledger.account(source.address)?.sequence ?? 0n;
    return signedEnvelope({ source, sequence, operations: bodies.map(body => operation(body)) });
  };
  const { market, faucet, payer, impostor } = seededKeys();
  const assets = seededAssets();
  yield [send(rootKey(), openingAccounts())];
  const trusting = assets.map(({ asset }) => trust(asset));
  yield [
    send(market, [...trusting, ...plan.pools.map(({ assetA, assetB }) => trustPool(assetA, assetB))]),
    send(faucet, trusting),
    send(payer, [...trusting, ...impostorAssets().map(trust)]),
  ];
  yield [
    ...assets.map(({ asset, issuer }) =>
      send(
        issuer,
        [market, faucet, payer].map(({ address }) => payment(address, asset, inventory)),
      ),
    ),
    send(
      impostor,
      impostorAssets().map(asset => payment(payer.address, asset, inventory)),
    ),
  ];
  yield [
    send(market, [
      ...plan.offers.map(offer => sellOffer({ ...offer, offerId: 0n })),
      ...plan.pools.map(({ assetA, assetB, amountA, amountB }) => deposit(poolIdOf(assetA, assetB), amountA, amountB)),
    ]),
  ];
}

function openingAccounts(): readonly OperationWire['body'][] {
  const { market, friendbot, faucet, payer, impostor, channels } = seededKeys();
  return [
    ...Object.entries({ market, friendbot, faucet, payer, impostor }).map(([name, { address }]) =>
      createAccount(address, firstBalances[name as keyof typeof firstBalances]),
    ),
    ...seededAssets().map(({ issuer }) => createAccount(issuer.address, firstBalances.issuer)),
    ...channels.map(({ address }) => createAccount(address, firstBalances.channel)),
  ];
}

/** Assets of the impostor, with the codes of the seeded assets. */
export function impostorAssets(): readonly string[] {
  const { impostor } = seededKeys();
  return seededAssets().map(({ asset }) => `${asset.slice(0, asset.indexOf(':'))}:${impostor.address}`);
}
