import { createHash } from 'node:crypto';
import {
  type MemoWire,
  type MuxedAccountWire,
  type OperationWire,
  Transaction,
  TransactionEnvelope,
  XdrString,
} from '@stellar/stellar-sdk/xdr';
import { mostStroops } from '../../../core/stellar/stellar-amount.ts';
import { decodeStrkey } from '../../../core/stellar/strkey.ts';
import { assetWire, publicKeyOf } from '../core/state/identifiers.ts';
import { sandboxNetworkId } from '../history/decoded-transaction.ts';
import type { SandboxKey } from './accounts.ts';

interface SandboxTransaction {
  readonly source: SandboxKey;
  /** The source account’s sequence before the transaction. */
  readonly sequence: bigint;
  readonly operations: readonly OperationWire[];
  readonly memo?: MemoWire;
  readonly cosigners?: readonly SandboxKey[];
  /** The bid per operation, in stroops. */
  readonly feePerOperation?: number;
}

const transactionTag = Uint8Array.of(0, 0, 0, 2);

/** The default bid per operation in stroops. It is 100 times the base fee, because surge pricing prefers high bids. */
const usualFee = 10_000;

/** Builds and signs a transaction. Returns the `TransactionEnvelope`, base64. */
export function signedEnvelope(options: SandboxTransaction): string {
  const { source, sequence, operations, memo = { type: 0 }, cosigners = [] } = options;
  const tx = {
    sourceAccount: addressWire(source.address),
    fee: operations.length * (options.feePerOperation ?? usualFee),
    seqNum: sequence + 1n,
    cond: { type: 0 } as const,
    memo,
    operations: [...operations],
    ext: { v: 0 } as const,
  };
  const hash = createHash('sha256')
    .update(sandboxNetworkId)
    .update(transactionTag)
    .update(Transaction.schema.encode(tx))
    .digest();
  const signatures = [source, ...cosigners].map(key => ({ hint: key.hint, signature: key.sign(hash) }));
  return Buffer.from(TransactionEnvelope.schema.encode({ type: 2, v1: { tx, signatures } })).toString('base64');
}

/** The XDR value of an address (`G…` or `M…`). Throws RangeError for other text. */
export function addressWire(address: string): MuxedAccountWire {
  const account = decodeStrkey('G', address);
  if (account !== null) return { type: 0, ed25519: account };
  const muxed = decodeStrkey('M', address);
  if (muxed === null) throw new RangeError(`${address.slice(0, 80)} is not a Stellar address`);
  return { type: 256, med25519: { ed25519: muxed.slice(0, 32), id: Buffer.from(muxed).readBigUInt64BE(32) } };
}

type Body = OperationWire['body'];

/** An operation. `source` null: the transaction’s source. */
export function operation(body: Body, source: string | null = null): OperationWire {
  return { sourceAccount: source === null ? null : addressWire(source), body };
}

/** Creates an account. `startingBalance` is in stroops. */
export const createAccount = (destination: string, startingBalance: bigint): Body => ({
  type: 0,
  createAccountOp: { destination: publicKeyOf(destination), startingBalance },
});

/** Pays `amount` stroops of `native` or `CODE:ISSUER`. */
export const payment = (destination: string, asset: string, amount: bigint): Body => ({
  type: 1,
  paymentOp: { destination: addressWire(destination), asset: assetWire(asset), amount },
});

/** Opens a trust line with the largest limit. */
export const trust = (asset: string): Body => ({
  type: 6,
  changeTrustOp: { line: lineWire(asset), limit: mostStroops },
});

/** Opens a trust line for pool shares, with the largest limit. The assets must be in the protocol’s order. */
export const trustPool = (assetA: string, assetB: string): Body => ({
  type: 6,
  changeTrustOp: {
    line: {
      type: 3,
      liquidityPool: { type: 0, constantProduct: { assetA: assetWire(assetA), assetB: assetWire(assetB), fee: 30 } },
    },
    limit: mostStroops,
  },
});

/** Deposits in a pool at any price. `pool` is its id in hex. */
export const deposit = (pool: string, maxAmountA: bigint, maxAmountB: bigint): Body => ({
  type: 22,
  liquidityPoolDepositOp: {
    liquidityPoolId: Buffer.from(pool, 'hex'),
    maxAmountA,
    maxAmountB,
    minPrice: { n: 1, d: 0x7fff_ffff },
    maxPrice: { n: 0x7fff_ffff, d: 1 },
  },
});

/** Creates, changes or deletes an offer. `offerId` 0 creates an offer. An amount of 0 deletes the offer. */
export const sellOffer = (offer: {
  readonly selling: string;
  readonly buying: string;
  readonly amount: bigint;
  readonly price: { readonly n: number; readonly d: number };
  readonly offerId: bigint;
}): Body => ({
  type: 3,
  manageSellOfferOp: { ...offer, selling: assetWire(offer.selling), buying: assetWire(offer.buying) },
});

/** A memo. Throws RangeError for text that does not fit its type. */
export function memoWire(type: 'text' | 'id' | 'hash' | 'return' | 'none', text: string): MemoWire {
  switch (type) {
    case 'none':
      return { type: 0 };
    case 'text':
      if (Buffer.byteLength(text) > 28) throw new RangeError('a text memo has at most 28 bytes');
      return { type: 1, text: new XdrString(text) };
    case 'id':
      if (!/^\d{1,20}$/.test(text) || BigInt(text) >= 2n ** 64n) throw new RangeError('an id memo is a 64-bit number');
      return { type: 2, id: BigInt(text) };
    case 'hash':
      return { type: 3, hash: hashBytes(text) };
    case 'return':
      return { type: 4, retHash: hashBytes(text) };
  }
}

function hashBytes(text: string): Uint8Array {
  if (!/^[0-9a-f]{64}$/i.test(text)) throw new RangeError('a hash memo has 32 bytes in hex');
  return Buffer.from(text, 'hex');
}

function lineWire(asset: string) {
  const wire = assetWire(asset);
  if (wire.type === 0) throw new RangeError('the native asset needs no trustline');
  return wire;
}
