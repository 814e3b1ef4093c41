import { createHash } from 'node:crypto';
import {
  ContractIdPreimage,
  HashIdPreimage,
  HashIdPreimageContractId,
  type Int128Parts,
  ScAddress,
  ScVal,
} from '@stellar/stellar-sdk/xdr';
import { mostStroops } from '../../../core/stellar/stellar-amount.ts';
import { encodeStrkey } from '../../../core/stellar/strkey.ts';
import type { IncomingPayment } from '../network.ts';
import { fromAccount, fromText, toAccount, toAsset } from '../transaction/xdr-values.ts';

/**
 * A payment that an asset's own contract reports (CAP-46-6, CAP-67). `from` is an account (G…), a contract (C…), or the
 * id (hex) of a claimable balance. For a mint, `from` is the issuer.
 */
export type AssetEvent = Pick<IncomingPayment, 'from' | 'asset' | 'amount' | 'toMuxedId' | 'memo'>;

/** The event topic (base64) for a word such as `transfer`, for the filters of Stellar RPC. */
export function symbolTopic(word: string): string {
  return ScVal.scvSymbol(word).toXdr('base64');
}

export function accountTopic(address: string): string {
  return ScVal.scvAddress(ScAddress.scAddressTypeAccount(toAccount(address))).toXdr('base64');
}

/** The contract (C…) of an asset on a network. Only this contract's events prove movements of the asset. */
export function assetContract(asset: string, passphrase: string): string {
  const networkId = createHash('sha256').update(passphrase).digest();
  const contractIdPreimage = ContractIdPreimage.contractIdPreimageFromAsset(toAsset(asset));
  const preimage = HashIdPreimage.envelopeTypeContractId(
    new HashIdPreimageContractId({ networkId, contractIdPreimage }),
  );
  return encodeStrkey('C', createHash('sha256').update(preimage.toXdr()).digest());
}

/**
 * Reads the topics and the value (base64) of an event. Returns null unless the asset's own contract sent the event,
 * because any contract can send events that look like transfers.
 */
export function readAssetEvent(
  event: { readonly contractId: string; readonly topics: readonly string[]; readonly value: string },
  contractOf: (asset: string) => string,
): AssetEvent | null {
  try {
    const topics = event.topics.map(topic => ScVal.fromXdr(topic, 'base64'));
    const source = readTopics(topics);
    if (source === null || contractOf(source.asset) !== event.contractId) return null;
    return { ...source, ...readValue(ScVal.fromXdr(event.value, 'base64')) };
  } catch {
    return null;
  }
}

function readTopics(topics: readonly ScVal[]): Pick<AssetEvent, 'from' | 'asset'> | null {
  const [word, ...rest] = topics;
  const type = word?.type === 'scvSymbol' ? word.value : null;
  const asset = assetOf(rest.at(-1));
  if (type === 'transfer' && rest.length === 3) return { from: senderOf(rest[0]), asset };
  if (type === 'mint' && rest.length === 2) return { from: asset.split(':')[1] ?? '', asset };
  return null;
}

function assetOf(topic: ScVal | undefined): string {
  if (topic?.type !== 'scvString') throw new TypeError('an event names no asset');
  const text = fromText(topic.str);
  return text === 'native' ? 'XLM' : text;
}

function senderOf(topic: ScVal | undefined): string {
  if (topic?.type !== 'scvAddress') throw new TypeError('an event contains no address');
  const address: ScAddress = topic.address;
  if (address.type === 'scAddressTypeAccount') return fromAccount(address.accountId);
  if (address.type === 'scAddressTypeContract') return encodeStrkey('C', address.contractId.toBytes());
  return (address.type === 'scAddressTypeClaimableBalance' ? address.claimableBalanceId : address).toXdr('hex');
}

/** An event's value is the amount, or a map of the amount and the payee's muxed id or memo (CAP-67). */
function readValue(value: ScVal): Pick<AssetEvent, 'amount' | 'toMuxedId' | 'memo'> {
  if (value.type === 'scvI128') return { amount: amountOf(value.i128), toMuxedId: null, memo: null };
  if (value.type !== 'scvMap') throw new TypeError('an event has no amount');
  const field = (name: string) =>
    value.map?.find(({ key }) => key.type === 'scvSymbol' && key.value === name)?.val ?? null;
  const amount = field('amount');
  if (amount?.type !== 'scvI128') throw new TypeError('an event has no amount');
  return { amount: amountOf(amount.i128), ...payeeOf(field('to_muxed_id')) };
}

/** Reads `to_muxed_id`. Its XDR type shows whether it is a muxed id or a memo (CAP-67). */
function payeeOf(id: ScVal | null): Pick<AssetEvent, 'toMuxedId' | 'memo'> {
  if (id === null) return { toMuxedId: null, memo: null };
  if (id.type === 'scvU64') return { toMuxedId: id.u64.toString(), memo: null };
  if (id.type === 'scvString') return { toMuxedId: null, memo: { type: 'text', value: id.str.toString() } };
  if (id.type !== 'scvBytes') throw new TypeError('an event has a tag of another kind');
  return { toMuxedId: null, memo: { type: 'hash', value: Buffer.from(id.bytes.toBytes()).toString('hex') } };
}

function amountOf({ hi, lo }: Int128Parts): bigint {
  const amount = (hi << 64n) | lo;
  if (amount <= 0n || amount > mostStroops) throw new TypeError('an event has an impossible amount');
  return amount;
}
