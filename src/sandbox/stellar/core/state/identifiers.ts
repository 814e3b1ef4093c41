import { createHash } from 'node:crypto';
import {
  type AssetCodeWire,
  type AssetWire,
  type ChangeTrustAssetWire,
  type ClaimableBalanceIdWire,
  HashIdPreimage,
  type HashIdPreimageWire,
  LiquidityPoolParameters,
  type MuxedAccountWire,
  type PublicKeyWire,
  type SignerKeyWire,
  type TrustLineAssetWire,
} from '@stellar/stellar-sdk/xdr';
import { createCache } from '../../../../core/cache.ts';
import { decodeStrkey, encodeStrkey, type StrkeyKind } from '../../../../core/stellar/strkey.ts';
import { poolFee } from './entries.ts';

/**
 * Maximum entries of each cache. The caches are bounded, because clients may name any number of accounts and assets.
 */
const cacheSize = 50_000;

/**
 * Caches a value per pair of texts. Uncached, ledger lookups spend most of their time joining and hashing long keys.
 */
class PairCache<T> {
  readonly #rows = new Map<string, Map<string, T>>();
  readonly #make: (a: string, b: string) => T;
  #size = 0;

  constructor(make: (a: string, b: string) => T) {
    this.#make = make;
  }

  get(a: string, b: string): T {
    const known = this.#rows.get(a)?.get(b);
    return known === undefined ? this.#add(a, b) : known;
  }

  #add(a: string, b: string): T {
    if (this.#size >= cacheSize) {
      this.#rows.clear();
      this.#size = 0;
    }
    const made = this.#make(a, b);
    const row = this.#rows.get(a) ?? new Map<string, T>();
    this.#rows.set(a, row.set(b, made));
    this.#size++;
    return made;
  }
}

const pairs = new PairCache((a, b) => `${a} ${b}`);

/** The map key of a market, by its two assets. */
export const pairKey = (a: string, b: string): string => pairs.get(a, b);

/** The map key of a trust line. */
export const lineKey = (account: string, asset: string): string => pairs.get(account, asset);

/** The map key of a data entry. It is not cached, because an account may have many entries. */
export const dataKey = (account: string, name: string): string => `${account} ${name}`;

const strkeys = createCache<string>(cacheSize);
const payloads = createCache<Uint8Array>(cacheSize);

function strkeyOf(kind: 'G' | 'T' | 'X' | 'P', payload: Uint8Array): string {
  const key = Buffer.from(payload.buffer, payload.byteOffset, payload.length).toString('latin1');
  return strkeys(kind + key, () => encodeStrkey(kind, payload));
}

function payloadOf(strkey: string): Uint8Array {
  return payloads(strkey, () => {
    const bytes = decodeStrkey(strkey.charAt(0) as StrkeyKind, strkey);
    if (bytes === null) throw new RangeError(`${strkey} is not a key`);
    return bytes;
  });
}

/** The account (`G…`) of a public key or a muxed account. */
export function accountOf(key: PublicKeyWire | MuxedAccountWire): string {
  return strkeyOf('G', key.type === 256 ? key.med25519.ed25519 : key.ed25519);
}

/** The inverse of {@link accountOf}. Throws RangeError for text that is no strkey (SEP-23). */
export const publicKeyOf = (account: string): PublicKeyWire => ({ type: 0, ed25519: payloadOf(account) });

/** The strkey of a signer: `G…`, `T…`, `X…` or `P…` (SEP-23). */
export function signerText(key: SignerKeyWire): string {
  if (key.type === 0) return strkeyOf('G', key.ed25519);
  if (key.type === 1) return strkeyOf('T', key.preAuthTx);
  if (key.type === 2) return strkeyOf('X', key.hashX);
  const { ed25519, payload } = key.ed25519SignedPayload;
  const bytes = new Uint8Array(36 + ((payload.length + 3) & ~3));
  bytes.set(ed25519);
  new DataView(bytes.buffer).setUint32(32, payload.length);
  bytes.set(payload, 36);
  return strkeyOf('P', bytes);
}

/** The inverse of {@link signerText}. */
export function signerKeyOf(text: string): SignerKeyWire {
  const bytes = payloadOf(text);
  if (text.startsWith('G')) return { type: 0, ed25519: bytes };
  if (text.startsWith('T')) return { type: 1, preAuthTx: bytes };
  if (text.startsWith('X')) return { type: 2, hashX: bytes };
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(32);
  return { type: 3, ed25519SignedPayload: { ed25519: bytes.slice(0, 32), payload: bytes.slice(36, 36 + length) } };
}

/** The sort key of a signer. It orders signers as stellar-core does: by kind, then by bytes. */
export function signerOrder(text: string): string {
  const key = signerKeyOf(text);
  if (key.type !== 3) return key.type + hex(payloadOf(text));
  const { ed25519, payload } = key.ed25519SignedPayload;
  return `3${hex(ed25519)}${hex(payload)}`;
}

/** Whether the signer pre-authorizes the transaction with this hash. */
export const isPreAuthorized = (signer: string, hash: Uint8Array): boolean =>
  signer.startsWith('T') && Buffer.compare(payloadOf(signer), hash) === 0;

/** The native asset, which needs no trust line. */
export const native = 'native';

function assetCodeText(code: Uint8Array): string {
  const end = code.indexOf(0);
  return Buffer.from(code.buffer, code.byteOffset, end === -1 ? code.length : end).toString('latin1');
}

const credits = new PairCache((code, issuer) => `${code}:${issuer}`);

/** `native`, `CODE:ISSUER`, or the id of the pool whose shares a trust line holds. */
export function assetText(asset: AssetWire | TrustLineAssetWire): string {
  if (asset.type === 0) return native;
  if (asset.type === 3) return hex(asset.liquidityPoolId);
  const { assetCode, issuer } = asset.type === 1 ? asset.alphaNum4 : asset.alphaNum12;
  return credits.get(assetCodeText(assetCode), accountOf(issuer));
}

/** The XDR value of `native` or `CODE:ISSUER`. */
export function assetWire(asset: string): AssetWire {
  if (asset === native) return { type: 0 };
  const colon = asset.indexOf(':');
  const issuer = publicKeyOf(asset.slice(colon + 1));
  const assetCode = new Uint8Array(colon > 4 ? 12 : 4);
  assetCode.set(Buffer.from(asset.slice(0, colon), 'latin1'));
  return colon > 4 ? { type: 2, alphaNum12: { assetCode, issuer } } : { type: 1, alphaNum4: { assetCode, issuer } };
}

/** The asset of an `AllowTrust` operation, which names only the code: the operation’s source is the issuer. */
export function allowTrustAsset(code: AssetCodeWire, issuerId: string): AssetWire {
  const issuer = publicKeyOf(issuerId);
  return code.type === 1
    ? { type: 1, alphaNum4: { assetCode: code.assetCode4, issuer } }
    : { type: 2, alphaNum12: { assetCode: code.assetCode12, issuer } };
}

export const lineAssetWire = (asset: string): TrustLineAssetWire =>
  isPoolShare(asset) ? { type: 3, liquidityPoolId: Buffer.from(asset, 'hex') } : assetWire(asset);

/** The issuer of an asset; `null` for the native asset and for pool shares. */
export function issuerOf(asset: string): string | null {
  const colon = asset.indexOf(':');
  return colon === -1 ? null : asset.slice(colon + 1);
}

export const isIssuer = (account: string, asset: string): boolean => asset.endsWith(account);

export const isPoolShare = (asset: string): boolean => asset !== native && !asset.includes(':');

/** Whether the code is alphanumeric and zero-padded. A code in the long form must have more than four characters. */
function isValidCode(code: Uint8Array): boolean {
  const text = assetCodeText(code);
  return (
    /^[0-9A-Za-z]+$/.test(text) &&
    code.subarray(text.length).every(byte => byte === 0) &&
    (code.length === 4 || text.length > 4)
  );
}

export function isValidAsset(asset: AssetWire | TrustLineAssetWire): boolean {
  if (asset.type === 1) return isValidCode(asset.alphaNum4.assetCode);
  if (asset.type === 2) return isValidCode(asset.alphaNum12.assetCode);
  return true;
}

/** Like {@link isValidAsset}, also for pools: sorted assets and the protocol’s fee (CAP-38). */
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

/** Sorts the native asset first, then short codes, then long codes. Within these: by code, then by issuer. */
function compareAssets(a: string, b: string): number {
  if (a === b) return 0;
  if (a === native || b === native) return a === native ? -1 : 1;
  const [codeA = '', issuerA = ''] = a.split(':');
  const [codeB = '', issuerB = ''] = b.split(':');
  if (codeA.length > 4 !== codeB.length > 4) return codeA.length > 4 ? 1 : -1;
  if (codeA !== codeB) return codeA < codeB ? -1 : 1;
  return Buffer.compare(payloadOf(issuerA), payloadOf(issuerB));
}

const poolIds = new PairCache((x, y) => {
  const [assetA, assetB] = compareAssets(x, y) < 0 ? [x, y] : [y, x];
  const constantProduct = { assetA: assetWire(assetA), assetB: assetWire(assetB), fee: poolFee };
  return sha256(LiquidityPoolParameters.schema.encode({ type: 0, constantProduct }));
});

/** The id of the pool of two assets: the hash of its parameters, hex. The assets may have any order. */
export const poolIdOf = (x: string, y: string): string => poolIds.get(x, y);

/** A claimable balance id as stellar-core and Horizon write it: the XDR in hex. */
export const balanceIdText = (id: ClaimableBalanceIdWire): string => `00000000${hex(id.v0)}`;

/** The inverse of {@link balanceIdText}. */
export const balanceIdWire = (id: string): ClaimableBalanceIdWire => ({ type: 0, v0: Buffer.from(id.slice(8), 'hex') });

/** The position of an operation. The ids of new claimable balances depend on this position. */
export interface OperationPosition {
  readonly transactionSource: string;
  readonly sequence: bigint;
  readonly index: number;
}

/**
 * The id of the claimable balance that an operation creates (CAP-23). For a balance that replaces revoked pool shares,
 * the id also depends on the pool and the asset (CAP-38).
 */
export function newBalanceId(
  { transactionSource, sequence: seqNum, index: opNum }: OperationPosition,
  revoked?: { readonly poolId: string; readonly asset: string },
): string {
  const origin = { sourceAccount: publicKeyOf(transactionSource), seqNum, opNum };
  const preimage: HashIdPreimageWire = revoked
    ? {
        type: 7,
        revokeId: { ...origin, liquidityPoolId: Buffer.from(revoked.poolId, 'hex'), asset: assetWire(revoked.asset) },
      }
    : { type: 6, operationId: origin };
  return `00000000${sha256(HashIdPreimage.schema.encode(preimage))}`;
}

export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Whether all bytes are printable ASCII, which home domains and data names must be. */
export const isPlainText = (bytes: Uint8Array): boolean => bytes.every(byte => byte >= 0x20 && byte < 0x7f);
