import { createHash } from 'node:crypto';
import {
  ContractEvent,
  type ContractEventWire,
  HashIdPreimage,
  type MemoWire,
  type PublicKeyWire,
  type ScAddressWire,
  ScVal,
  type ScValWire,
  XdrString,
} from '@stellar/stellar-sdk/xdr';
import { createCache } from '../../../core/cache.ts';
import { encodeStrkey } from '../../../core/stellar/strkey.ts';
import { assetWire } from '../core/state/identifiers.ts';
import { sandboxNetworkId } from '../history/decoded-transaction.ts';
import type { AssetMovement, AuthorizationChange } from './asset-movement.ts';

/** An event: its fields in the form of `getEvents`, and its XDR value for the meta of a transaction. */
export interface RpcEvent {
  /** The address of the contract that emits the event, `C…`. */
  readonly contractId: string;
  /** The topics, each an `ScVal` in base64. */
  readonly topics: readonly string[];
  readonly value: string;
  readonly wire: ContractEventWire;
}

const contracts = createCache<Uint8Array>(10_000);

/** The id of an asset’s contract (CAP-46-6). */
function contractOf(asset: string): Uint8Array {
  return contracts(asset, () => {
    const contractIdPreimage = { type: 1, fromAsset: assetWire(asset) } as const;
    const preimage = HashIdPreimage.schema.encode({
      type: 8,
      contractId: { networkId: sandboxNetworkId, contractIdPreimage },
    });
    return createHash('sha256').update(preimage).digest();
  });
}

/** The event of a movement or of a change of authorization (CAP-67). */
export function movementEvent(movement: AssetMovement | AuthorizationChange): RpcEvent {
  const { kind, asset } = movement;
  if (kind === 'set_authorized') {
    const topics = [symbol(kind), address(accountAddress(movement.account)), text(asset)];
    return eventOf(asset, topics, { type: 0, b: movement.authorized });
  }
  const parties = [movement.from, movement.to].flatMap(party => (party === null ? [] : [address(withoutId(party))]));
  return eventOf(asset, [symbol(kind), ...parties, text(asset)], amountAndTag(movement));
}

/** The event of a fee. The contract of the native asset emits it. Its topics therefore contain no asset. */
export function feeEvent(payer: PublicKeyWire, amount: bigint): RpcEvent {
  return eventOf('native', [symbol('fee'), address(accountAddress(payer))], amountValue(amount));
}

/** The event as a `ContractEvent`, base64. */
export function eventXdr(wire: ContractEventWire): string {
  return Buffer.from(ContractEvent.schema.encode(wire)).toString('base64');
}

/** `CONTRACT` of `ContractEventType`. */
const contractEventType = 1;

function eventOf(asset: string, topics: ScValWire[], data: ScValWire): RpcEvent {
  const contractId = contractOf(asset);
  return {
    contractId: encodeStrkey('C', contractId),
    topics: topics.map(valueXdr),
    value: valueXdr(data),
    wire: { ext: { v: 0 }, contractId, type: contractEventType, body: { v: 0, v0: { topics, data } } },
  };
}

/** The amount, and the id of a muxed receiver or the memo if one exists. */
function amountAndTag({ to, amount, memo }: AssetMovement): ScValWire {
  const tag =
    to?.type === 2 ? ({ type: 5, u64: to.muxedAccount.id } as const) : to?.type === 0 ? memoValue(memo) : null;
  // If `memo` is null, the event contains no muxed id either.
  if (tag === null || memo === null) return amountValue(amount);
  const entry = (name: string, val: ScValWire) => ({ key: symbol(name), val });
  return { type: 17, map: [entry('amount', amountValue(amount)), entry('to_muxed_id', tag)] };
}

function memoValue(memo: MemoWire | null): ScValWire | null {
  switch (memo?.type) {
    case 1:
      return { type: 14, str: memo.text };
    case 2:
      return { type: 5, u64: memo.id };
    case 3:
      return { type: 13, bytes: memo.hash };
    case 4:
      return { type: 13, bytes: memo.retHash };
    default:
      return null;
  }
}

const amountValue = (amount: bigint): ScValWire => ({ type: 10, i128: { hi: 0n, lo: amount } });
const symbol = (word: string): ScValWire => ({ type: 15, sym: new XdrString(word) });
const text = (value: string): ScValWire => ({ type: 14, str: new XdrString(value) });
const address = (party: ScAddressWire): ScValWire => ({ type: 18, address: party });
const accountAddress = (accountId: PublicKeyWire): ScAddressWire => ({ type: 0, accountId });

/** The account without its muxed id. Topics contain only the account. The event’s value contains the id. */
function withoutId(party: ScAddressWire): ScAddressWire {
  return party.type === 2 ? accountAddress({ type: 0, ed25519: party.muxedAccount.ed25519 }) : party;
}

function valueXdr(value: ScValWire): string {
  return Buffer.from(ScVal.schema.encode(value)).toString('base64');
}
