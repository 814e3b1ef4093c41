import type { ClaimAtomWire } from '@stellar/stellar-sdk/xdr';
import { publicKeyOf } from './account-key.ts';
import type { LiquidityPool, Offer } from './entries.ts';
import { assetWire } from './ledger-asset.ts';

/** What was taken from an offer or a pool: it sold one asset and bought the other. */
export interface Claim {
  readonly from: Offer | LiquidityPool;
  readonly sold: string;
  readonly soldAmount: bigint;
  readonly bought: string;
  readonly boughtAmount: bigint;
}

/** The claim as results tell it. */
export function claimAtom({ from, sold, soldAmount, bought, boughtAmount }: Claim): ClaimAtomWire {
  const amounts = {
    assetSold: assetWire(sold),
    amountSold: soldAmount,
    assetBought: assetWire(bought),
    amountBought: boughtAmount,
  };
  return 'seller' in from
    ? { type: 1, orderBook: { sellerId: publicKeyOf(from.seller), offerId: from.id, ...amounts } }
    : { type: 2, liquidityPool: { liquidityPoolId: Buffer.from(from.id, 'hex'), ...amounts } };
}
