import type { Secrets } from '../secrets.ts';
import { localKey, type SigningKey } from './signing-key.ts';
import { judgeTransaction, type SigningPurpose, SigningRefused } from './signing-rules.ts';
import type { SpendBook } from './spend.store.ts';
import { capOf, type SpendingCaps } from './spending-caps.ts';
import {
  attachSignature,
  type InspectedEnvelope,
  type InspectedFeeBump,
  type InspectedTransaction,
  inspectEnvelope,
  isSignedBy,
} from './transaction.ts';

/**
 * Holds the keys of the treasury and of its channels, and signs what it knows: money sent out through a channel, money
 * claimed, the treasury’s own set-up, and more fee for what it signed before. What it refuses throws SigningRefused.
 * Nothing of a key is in any of its fields.
 */
export interface StellarSigner {
  /** The account the money is in, and who pays every fee (G…). */
  readonly treasury: string;
  /** The account of a channel (G…): from 1 on, the same for ever. */
  channelAddress(number: number): string;
  /** The envelope signed by the treasury and, where a channel lends its sequence number, by that channel. */
  sign(envelopeXdr: string, channel: number | null): Promise<string>;
  /** The most that one transaction may send of the asset, in stroops; null: any amount. */
  transactionCap(asset: string): bigint | null;
  /** Says that a signed transaction (hash of the inner one) will never be in a ledger: it no longer counts against the day. */
  forget(hash: string): Promise<void>;
}

/** What the signer is made of. */
export interface SignerDeps {
  readonly passphrase: string;
  readonly secrets: Pick<Secrets, 'stellarSeed'>;
  readonly treasury: SigningKey;
  readonly spendBook: SpendBook;
  readonly transactionCaps: SpendingCaps;
  readonly dayCaps: SpendingCaps;
  /** The most that may be offered as fee per operation, in stroops. */
  readonly feeCap: bigint;
  /** What the treasury may hold: wire texts. */
  readonly heldAssets: readonly string[];
}

/** There are never more channels than this. */
const mostChannels = 1_000;

/** Makes the signer. */
export function createSigner(deps: SignerDeps): StellarSigner {
  const { treasury, passphrase } = deps;
  const channels = createChannelKeys(deps.secrets);
  const accounts = {
    treasury: treasury.address,
    isChannel: channels.has,
    isHeld: (asset: string) => deps.heldAssets.includes(asset),
  };
  return {
    treasury: treasury.address,
    channelAddress: number => channels.key(number).address,
    transactionCap: asset => capOf(deps.transactionCaps, asset),
    forget: hash => deps.spendBook.forget(treasury.address, hash),
    sign: async (envelopeXdr, channel) => {
      const inspected = read(envelopeXdr, passphrase);
      if (inspected.kind === 'fee_bump') {
        checkFeeBump(deps, inspected);
        return await signWith([treasury], envelopeXdr, inspected.hash, passphrase);
      }
      const source = channel === null ? treasury : channels.key(channel);
      if (inspected.source !== source.address) throw new SigningRefused('unknown', 'it is of another account');
      const { purpose, outflows } = judgeTransaction(inspected, accounts);
      checkPurpose(purpose, channel);
      checkFee(deps, inspected.fee, inspected.operations.length);
      await checkCaps(deps, inspected, outflows);
      const keys = channel === null ? [treasury] : [treasury, source];
      return await signWith(keys, envelopeXdr, inspected.hash, passphrase);
    },
  };
}

function read(envelopeXdr: string, passphrase: string): InspectedEnvelope {
  try {
    return inspectEnvelope(envelopeXdr, passphrase);
  } catch (error) {
    throw new SigningRefused('unknown', error instanceof Error ? error.message : 'it cannot be read');
  }
}

/** Money leaves through channels only, and a channel carries nothing else. */
function checkPurpose(purpose: SigningPurpose, channel: number | null): void {
  const isExpected = channel === null ? purpose !== 'transfer' : purpose !== 'setup';
  if (!isExpected) throw new SigningRefused('unknown', `a ${purpose} does not go this way`);
}

/** A higher fee is offered for what was signed here, and for nothing else. */
function checkFeeBump(deps: SignerDeps, { feeSource, fee, inner }: InspectedFeeBump): void {
  const { address } = deps.treasury;
  if (feeSource !== address) throw new SigningRefused('unknown', 'somebody else is to pay the fee');
  if (!isSignedBy(inner, address)) throw new SigningRefused('unknown', 'it did not sign the transaction inside');
  // A fee bump counts as one operation more (CAP-15).
  checkFee(deps, fee, inner.operations.length + 1);
}

function checkFee({ feeCap }: SignerDeps, fee: bigint, operations: number): void {
  if (fee > feeCap * BigInt(operations)) throw new SigningRefused('cap', `a fee of ${fee} stroops is too high`);
}

async function checkCaps(
  deps: SignerDeps,
  { hash }: InspectedTransaction,
  outflows: ReadonlyMap<string, bigint>,
): Promise<void> {
  for (const [asset, amount] of outflows) {
    const cap = capOf(deps.transactionCaps, asset);
    if (cap !== null && amount > cap) {
      throw new SigningRefused('cap', `${amount} stroops of ${asset} in one transaction, more than ${cap}`, asset);
    }
  }
  const spend = [...outflows].map(([asset, amount]) => ({ asset, amount, cap: capOf(deps.dayCaps, asset) }));
  const over = await deps.spendBook.book({ treasury: deps.treasury.address, hash, outflows: spend });
  if (over !== null) throw new SigningRefused('day_cap', `more ${over} in a day than it may let leave`, over);
}

async function signWith(
  keys: readonly SigningKey[],
  envelopeXdr: string,
  hash: string,
  passphrase: string,
): Promise<string> {
  let signed = envelopeXdr;
  for (const key of keys) {
    const signature = await key.sign({ hash, envelopeXdr });
    signed = attachSignature(signed, passphrase, { address: key.address, signature });
  }
  return signed;
}

/** The channels’ keys, each made when it is first asked for. */
function createChannelKeys(secrets: SignerDeps['secrets']) {
  const keys: SigningKey[] = [];
  const key = (number: number): SigningKey => {
    if (!Number.isInteger(number) || number < 1 || number > mostChannels)
      throw new RangeError('there is no such channel');
    while (keys.length < number) keys.push(localKey(secrets.stellarSeed(`channel ${keys.length + 1}`)));
    return keys[number - 1] as SigningKey;
  };
  return { key, has: (address: string) => keys.some(each => each.address === address) };
}
