import { createHash } from 'node:crypto';
import { HashIdPreimage, type HashIdPreimageWire } from '@stellar/stellar-sdk/xdr';
import { publicKeyOf } from './account-key.ts';
import { assetWire } from './ledger-asset.ts';
import type { OperationScope } from './operation-rules.ts';

/**
 * The id of a claimable balance that an operation makes (CAP-23), as hex of its XDR; of one that takes the place of
 * pool shares, the pool and the asset are part of it (CAP-38).
 */
export function balanceId(
  { transactionSource, sequence: seqNum, index: opNum }: OperationScope,
  revoked?: { readonly poolId: string; readonly asset: string },
): string {
  const origin = { sourceAccount: publicKeyOf(transactionSource), seqNum, opNum };
  const preimage: HashIdPreimageWire = revoked
    ? {
        type: 7,
        revokeId: { ...origin, liquidityPoolId: Buffer.from(revoked.poolId, 'hex'), asset: assetWire(revoked.asset) },
      }
    : { type: 6, operationId: origin };
  return `00000000${createHash('sha256').update(HashIdPreimage.schema.encode(preimage)).digest('hex')}`;
}
