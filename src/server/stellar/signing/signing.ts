import type { Secrets } from '../../platform/secrets.ts';
import {
  attachSignature,
  type InspectedEnvelope,
  type InspectedFeeBump,
  inspectEnvelope,
  isSignedBy,
} from '../transaction/transaction.ts';
import { localKey, type SigningKey } from './signing-key.ts';
import {
  capOf,
  judgeTransaction,
  refused,
  type SigningAccounts,
  type SigningPurpose,
  SigningRefused,
  type SpendingCaps,
} from './signing-rules.ts';
import type { SpendBook } from './spend.store.ts';

/** What the signer is made of. */
export interface SignerDeps {
  readonly passphrase: string;
  readonly secrets: Pick<Secrets, 'stellarSeed'>;
  readonly treasury: SigningKey;
  readonly spendBook: SpendBook;
  readonly transactionCaps: SpendingCaps;
  readonly dayCaps: SpendingCaps;
  /** The highest fee per operation, in stroops. */
  readonly feeCap: bigint;
  /** Assets that the treasury may hold: wire texts. */
  readonly heldAssets: readonly string[];
}

/** Signs an envelope that the rules allow; `channel` lends its sequence number. Throws `SigningRefused` for any other. */
export async function signEnvelope(
  deps: SignerDeps,
  accounts: SigningAccounts,
  envelopeXdr: string,
  channel: SigningKey | null,
): Promise<string> {
  const { treasury, passphrase } = deps;
  const inspected = read(envelopeXdr, passphrase);
  const { hash } = inspected;
  if (inspected.kind === 'fee_bump') {
    checkFeeBump(deps, inspected);
    return await signWith([treasury], envelopeXdr, hash, passphrase);
  }
  if (inspected.source !== (channel ?? treasury).address) throw refused('it is of another account');
  const { purpose, outflows } = judgeTransaction(inspected, accounts);
  checkPurpose(purpose, channel);
  checkFee(deps, inspected.fee, inspected.operations.length);
  await checkCaps(deps, hash, outflows);
  return await signWith(channel === null ? [treasury] : [treasury, channel], envelopeXdr, hash, passphrase);
}

function read(envelopeXdr: string, passphrase: string): InspectedEnvelope {
  try {
    return inspectEnvelope(envelopeXdr, passphrase);
  } catch (error) {
    throw refused(error instanceof Error ? error.message : 'it cannot be read');
  }
}

/** Money leaves through channels only, and channels do no set-up. */
function checkPurpose(purpose: SigningPurpose, channel: SigningKey | null): void {
  const isExpected = channel === null ? purpose !== 'transfer' : purpose !== 'setup';
  if (!isExpected) throw refused(`a ${purpose} does not go this way`);
}

/** A fee bump may only wrap a transaction that was signed here. */
function checkFeeBump(deps: SignerDeps, { feeSource, fee, inner }: InspectedFeeBump): void {
  const { address } = deps.treasury;
  if (feeSource !== address) throw refused('somebody else is to pay the fee');
  if (!isSignedBy(inner, address)) throw refused('it did not sign the transaction inside');
  // A fee bump counts as one operation more (CAP-15).
  checkFee(deps, fee, inner.operations.length + 1);
}

function checkFee({ feeCap }: SignerDeps, fee: bigint, operations: number): void {
  if (fee > feeCap * BigInt(operations)) throw new SigningRefused('cap', `a fee of ${fee} stroops is too high`);
}

async function checkCaps(deps: SignerDeps, hash: string, outflows: ReadonlyMap<string, bigint>): Promise<void> {
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

/** Holds the keys of the treasury and its channels, and signs only transactions that the rules allow. No field shows a key. */
export interface StellarSigner {
  /** The account that holds the money and pays every fee (G…). */
  readonly treasury: string;
  /** The account (G…) of a channel. Numbers start at 1, and each number always has the same account. */
  channelAddress(number: number): string;
  /**
   * Returns the envelope signed by the treasury, and by the channel that lends its sequence number. Throws
   * `SigningRefused`, and `StellarUnavailable` when the operator's key service does not answer.
   */
  sign(envelopeXdr: string, channel: number | null): Promise<string>;
  /** The most that one transaction may send of the asset, in stroops; null: any amount. */
  transactionCap(asset: string): bigint | null;
  /** A signed transaction (hash of the inner one) can never enter a ledger: it no longer counts against the daily limit. */
  forget(hash: string): Promise<void>;
}

const mostChannels = 1_000;

/** Makes the signer. The code that reads envelopes is loaded with the first one, since it needs the SDK. */
export function createSigner(deps: SignerDeps): StellarSigner {
  const { treasury } = deps;
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
      const { signEnvelope } = await import('./signing.ts');
      return await signEnvelope(deps, accounts, envelopeXdr, channel === null ? null : channels.key(channel));
    },
  };
}

/** Derives each channel's key when it is first needed. */
function createChannelKeys(secrets: SignerDeps['secrets']) {
  const keys: SigningKey[] = [];
  const key = (number: number): SigningKey => {
    if (!Number.isInteger(number) || number < 1 || number > mostChannels) {
      throw new RangeError(`there is no channel ${number}`);
    }
    while (keys.length < number) keys.push(localKey(secrets.stellarSeed(`channel ${keys.length + 1}`)));
    return keys[number - 1] as SigningKey;
  };
  return { key, has: (address: string) => keys.some(each => each.address === address) };
}
