import { createHash } from 'node:crypto';
import type { AssetWire, ChangeTrustAssetWire, TrustLineAssetWire } from '@stellar/stellar-sdk/xdr';
import { LiquidityPoolParameters } from '@stellar/stellar-sdk/xdr';
import { accountOf, keyBytes, publicKeyOf } from './account-key.ts';
import { poolFee } from './entries.ts';
import { PairMemory } from './pair-memory.ts';

/** The asset every ledger has; it needs no trust line. */
export const native = 'native';

const codeText = (code: Uint8Array): string => {
  const end = code.indexOf(0);
  return Buffer.from(code.buffer, code.byteOffset, end === -1 ? code.length : end).toString('latin1');
};

const credits = new PairMemory((code, issuer) => `${code}:${issuer}`);

/** `native`, `CODE:ISSUER`, or the id of a pool. */
export function assetText(asset: AssetWire | TrustLineAssetWire): string {
  if (asset.type === 0) return native;
  if (asset.type === 3) return Buffer.from(asset.liquidityPoolId).toString('hex');
  const { assetCode, issuer } = asset.type === 1 ? asset.alphaNum4 : asset.alphaNum12;
  return credits.of(codeText(assetCode), accountOf(issuer));
}

/** The wire form of `native` or `CODE:ISSUER`. */
export function assetWire(asset: string): AssetWire {
  if (asset === native) return { type: 0 };
  const colon = asset.indexOf(':');
  const issuer = publicKeyOf(asset.slice(colon + 1));
  const assetCode = new Uint8Array(colon > 4 ? 12 : 4);
  assetCode.set(Buffer.from(asset.slice(0, colon), 'latin1'));
  return colon > 4 ? { type: 2, alphaNum12: { assetCode, issuer } } : { type: 1, alphaNum4: { assetCode, issuer } };
}

/** The wire form of what a trust line holds: credit or pool shares. */
export const lineAssetWire = (asset: string): TrustLineAssetWire =>
  isPoolShare(asset) ? { type: 3, liquidityPoolId: Buffer.from(asset, 'hex') } : assetWire(asset);

/** Who issues the asset; nobody issues the native one or pool shares. */
export function issuerOf(asset: string): string | null {
  const colon = asset.indexOf(':');
  return colon === -1 ? null : asset.slice(colon + 1);
}

export const isIssuer = (account: string, asset: string): boolean => asset.endsWith(account);

/** Whether a trust line’s asset is a share of a pool. */
export const isPoolShare = (asset: string): boolean => asset !== native && !asset.includes(':');

/** A code is letters and digits, then zeros; more than four of them in the long form. */
function isValidCode(code: Uint8Array): boolean {
  const text = codeText(code);
  return (
    /^[0-9A-Za-z]+$/.test(text) &&
    code.subarray(text.length).every(byte => byte === 0) &&
    (code.length === 4 || text.length > 4)
  );
}

/** Whether the asset is one that can exist. */
export function isValidAsset(asset: AssetWire | TrustLineAssetWire): boolean {
  if (asset.type === 1) return isValidCode(asset.alphaNum4.assetCode);
  if (asset.type === 2) return isValidCode(asset.alphaNum12.assetCode);
  return true;
}

/** As {@link isValidAsset}; a pool’s assets are in order and its fee is the one there is (CAP-38). */
export function isValidLine(line: ChangeTrustAssetWire): boolean {
  if (line.type !== 3) return isValidAsset(line);
  const { assetA, assetB, fee } = line.liquidityPool.constantProduct;
  return (
    isValidAsset(assetA) &&
    isValidAsset(assetB) &&
    compareAssets(assetText(assetA), assetText(assetB)) < 0 &&
    fee === poolFee
  );
}

/** Native first, then short codes, then long ones; by code, then by issuer. */
export function compareAssets(a: string, b: string): number {
  if (a === b) return 0;
  if (a === native || b === native) return a === native ? -1 : 1;
  const [codeA = '', issuerA = ''] = a.split(':');
  const [codeB = '', issuerB = ''] = b.split(':');
  if (codeA.length > 4 !== codeB.length > 4) return codeA.length > 4 ? 1 : -1;
  if (codeA !== codeB) return codeA < codeB ? -1 : 1;
  return Buffer.compare(keyBytes(issuerA), keyBytes(issuerB));
}

const poolIds = new PairMemory((x, y) => {
  const [assetA, assetB] = compareAssets(x, y) < 0 ? [x, y] : [y, x];
  const constantProduct = { assetA: assetWire(assetA), assetB: assetWire(assetB), fee: poolFee };
  const parameters = LiquidityPoolParameters.schema.encode({ type: 0, constantProduct });
  return createHash('sha256').update(parameters).digest('hex');
});

/** The id of the pool of two assets, in either order: the hash of its parameters, hex. */
export const poolIdOf = (x: string, y: string): string => poolIds.of(x, y);
