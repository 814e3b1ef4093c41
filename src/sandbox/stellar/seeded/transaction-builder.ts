import { createHash } from 'node:crypto';
import {
  type MemoWire,
  type MuxedAccountWire,
  type OperationWire,
  Transaction,
  TransactionEnvelope,
  XdrString,
} from '@stellar/stellar-sdk/xdr';
import { mostStroops } from '../../../core/money.ts';
import { testPassphrase } from '../../../core/stellar/stellar-network.ts';
import { decodeStrkey } from '../../../core/stellar/strkey.ts';
import { assetWire, publicKeyOf } from '../core/state/identifiers.ts';
import { networkId } from '../core/transactions/transaction-frame.ts';
import type { SandboxKey } from './accounts.ts';

/** A transaction that the sandbox itself makes. */
interface SandboxTransaction {
  readonly source: SandboxKey;
  /** The sequence of the source’s account before it. */
  readonly sequence: bigint;
  readonly operations: readonly OperationWire[];
  readonly memo?: MemoWire;
  /** Keys that must sign besides the source’s. */
  readonly cosigners?: readonly SandboxKey[];
  /** The most it pays for each operation, in stroops. */
  readonly feePerOperation?: number;
}

const network = networkId(testPassphrase);
const transactionTag = Uint8Array.of(0, 0, 0, 2);

/** What the sandbox bids for an operation: enough to get into a ledger under surge. */
const usualFee = 10_000;

/** Builds and signs the transaction; a `TransactionEnvelope` in base64. */
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
    .update(network)
    .update(transactionTag)
    .update(Transaction.schema.encode(tx))
    .digest();
  const signatures = [source, ...cosigners].map(key => ({ hint: key.hint, signature: key.sign(hash) }));
  return Buffer.from(TransactionEnvelope.schema.encode({ type: 2, v1: { tx, signatures } })).toString('base64');
}

/** The wire form of an address, `G…` or `M…`. Throws RangeError on what is neither. */
export function addressWire(address: string): MuxedAccountWire {
  const account = decodeStrkey('G', address);
  if (account !== null) return { type: 0, ed25519: account };
  const muxed = decodeStrkey('M', address);
  if (muxed === null) throw new RangeError(`${address.slice(0, 80)} is no Stellar address`);
  return { type: 256, med25519: { ed25519: muxed.slice(0, 32), id: Buffer.from(muxed).readBigUInt64BE(32) } };
}

type Body = OperationWire['body'];

/** An operation, for the transaction’s source or for another account (`G…`). */
export function operation(body: Body, source: string | null = null): OperationWire {
  return { sourceAccount: source === null ? null : addressWire(source), body };
}

/** Makes an account that holds so many stroops. */
export const createAccount = (destination: string, startingBalance: bigint): Body => ({
  type: 0,
  createAccountOp: { destination: publicKeyOf(destination), startingBalance },
});

/** Pays so much of an asset (`native` or `CODE:ISSUER`). */
export const payment = (destination: string, asset: string, amount: bigint): Body => ({
  type: 1,
  paymentOp: { destination: addressWire(destination), asset: assetWire(asset), amount },
});

/** Trusts an asset without limit. */
export const trust = (asset: string): Body => ({
  type: 6,
  changeTrustOp: { line: lineWire(asset), limit: mostStroops },
});

/** Trusts the shares of the pool of two assets, given in the protocol’s order. */
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

/** Puts into a pool at most so much of each, at any price. */
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

/** Offers so much of an asset at a price; `offerId` 0 makes an offer, another changes it, an amount of 0 takes it back. */
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

/** A memo of the sandbox’s transactions. Throws RangeError when the text is none of its type. */
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
  if (wire.type === 0) throw new RangeError('nobody needs to trust the native asset');
  return wire;
}
