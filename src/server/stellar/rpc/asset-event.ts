import { createHash } from 'node:crypto';
import {
  ContractIdPreimage,
  HashIdPreimage,
  HashIdPreimageContractId,
  type Int128Parts,
  ScAddress,
  ScVal,
} from '@stellar/stellar-sdk/xdr';
import { mostStroops } from '../../../core/money.ts';
import { encodeStrkey } from '../../../core/stellar/strkey.ts';
import type { TransactionMemo } from '../network.ts';
import { fromAccount, fromText, toAccount, toAsset } from '../transaction/xdr-values.ts';

/** A movement of an asset as its own contract tells it (CAP-46-6, CAP-67). Amounts in stroops. */
export interface AssetEvent {
  readonly type: 'transfer' | 'mint';
  /** Who paid: an account (G…), a contract (C…), or the id of a claimable balance or a pool (hex). Of a mint the issuer. */
  readonly from: string;
  readonly isBalance: boolean;
  readonly to: string;
  readonly asset: string;
  readonly amount: bigint;
  /** The id in the muxed address that was paid, or else an id memo; decimal text. */
  readonly toMuxedId: string | null;
  readonly memo: TransactionMemo | null;
}

/** A topic of an event that names a word, as RPC’s filters want it. */
export function symbolTopic(word: string): string {
  return ScVal.scvSymbol(word).toXdr('base64');
}

/** A topic that names an account. */
export function accountTopic(address: string): string {
  return ScVal.scvAddress(ScAddress.scAddressTypeAccount(toAccount(address))).toXdr('base64');
}

/** The contract (C…) of an asset on a network: only what that one says of the asset is true. */
export function assetContract(asset: string, passphrase: string): string {
  const networkId = createHash('sha256').update(passphrase).digest();
  const contractIdPreimage = ContractIdPreimage.contractIdPreimageFromAsset(toAsset(asset));
  const preimage = HashIdPreimage.envelopeTypeContractId(
    new HashIdPreimageContractId({ networkId, contractIdPreimage }),
  );
  return encodeStrkey('C', createHash('sha256').update(preimage.toXdr()).digest());
}

/**
 * Reads the topics and the value (base64) of an event of the contract. Null when it is not one of an asset’s own
 * contract, whatever it says: anybody can write a contract that talks of transfers.
 */
export function readAssetEvent(
  event: { readonly contractId: string; readonly topics: readonly string[]; readonly value: string },
  contractOf: (asset: string) => string,
): AssetEvent | null {
  try {
    const topics = event.topics.map(topic => ScVal.fromXdr(topic, 'base64'));
    const movement = readTopics(topics);
    if (movement === null || contractOf(movement.asset) !== event.contractId) return null;
    return { ...movement, ...readValue(ScVal.fromXdr(event.value, 'base64')) };
  } catch {
    return null;
  }
}

function readTopics(topics: readonly ScVal[]): Pick<AssetEvent, 'type' | 'from' | 'isBalance' | 'to' | 'asset'> | null {
  const [word, ...rest] = topics;
  const type = word?.type === 'scvSymbol' ? word.value : null;
  const asset = assetOf(rest.at(-1));
  if (type === 'transfer' && rest.length === 3) {
    const from = addressOf(rest[0]);
    return { type, from: from.text, isBalance: from.isBalance, to: addressOf(rest[1]).text, asset };
  }
  if (type === 'mint' && rest.length === 2) {
    return { type, from: asset.split(':')[1] ?? '', isBalance: false, to: addressOf(rest[0]).text, asset };
  }
  return null;
}

function assetOf(topic: ScVal | undefined): string {
  if (topic?.type !== 'scvString') throw new TypeError('an event names no asset');
  const text = fromText(topic.str);
  return text === 'native' ? 'XLM' : text;
}

function addressOf(topic: ScVal | undefined): { readonly text: string; readonly isBalance: boolean } {
  if (topic?.type !== 'scvAddress') throw new TypeError('an event names no address');
  const address: ScAddress = topic.address;
  const plain = (text: string) => ({ text, isBalance: false });
  switch (address.type) {
    case 'scAddressTypeAccount':
      return plain(fromAccount(address.accountId));
    case 'scAddressTypeContract':
      return plain(encodeStrkey('C', address.contractId.toBytes()));
    case 'scAddressTypeClaimableBalance':
      return { text: address.claimableBalanceId.toXdr('hex'), isBalance: true };
    case 'scAddressTypeLiquidityPool':
      return plain(Buffer.from(address.liquidityPoolId.toBytes()).toString('hex'));
    default:
      throw new TypeError('an event names an address of another kind');
  }
}

/** The amount alone, or with what tells whose it is. */
function readValue(value: ScVal): Pick<AssetEvent, 'amount' | 'toMuxedId' | 'memo'> {
  if (value.type === 'scvI128') return { amount: amountOf(value.i128), toMuxedId: null, memo: null };
  if (value.type !== 'scvMap') throw new TypeError('an event has no amount');
  const field = (name: string) =>
    value.map?.find(({ key }) => key.type === 'scvSymbol' && key.value === name)?.val ?? null;
  const amount = field('amount');
  if (amount?.type !== 'scvI128') throw new TypeError('an event has no amount');
  return { amount: amountOf(amount.i128), ...tagOf(field('to_muxed_id')) };
}

/** CAP-67: the id of the muxed address; where that has none, the memo, whose kind shows in the type. */
function tagOf(tag: ScVal | null): Pick<AssetEvent, 'toMuxedId' | 'memo'> {
  if (tag === null) return { toMuxedId: null, memo: null };
  if (tag.type === 'scvU64') return { toMuxedId: tag.u64.toString(), memo: null };
  if (tag.type === 'scvString') return { toMuxedId: null, memo: { type: 'text', value: tag.str.toString() } };
  if (tag.type !== 'scvBytes') throw new TypeError('an event has a tag of another kind');
  return { toMuxedId: null, memo: { type: 'hash', value: Buffer.from(tag.bytes.toBytes()).toString('hex') } };
}

function amountOf({ hi, lo }: Int128Parts): bigint {
  const amount = (hi << 64n) | lo;
  if (amount <= 0n || amount > mostStroops) throw new TypeError('an event has an impossible amount');
  return amount;
}
