import type { Secrets } from '../../platform/secrets.ts';
import {
  attachSignature,
  type InspectedEnvelope,
  type InspectedFeeBump,
  type InspectedTransaction,
  inspectEnvelope,
  isSignedBy,
} from '../transaction/transaction.ts';
import type { SigningKey } from './signing-key.ts';
import { judgeTransaction, type SigningAccounts, type SigningPurpose, SigningRefused } from './signing-rules.ts';
import type { SpendBook } from './spend.store.ts';
import { capOf, type SpendingCaps } from './spending-caps.ts';

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

/** An envelope that is to be signed, and the channel whose sequence number it uses, if any. */
export interface SigningRequest {
  readonly envelopeXdr: string;
  readonly channel: SigningKey | null;
}

/** Signs an envelope that the service knows. Throws SigningRefused for any other. */
export async function signEnvelope(
  deps: SignerDeps,
  accounts: SigningAccounts,
  { envelopeXdr, channel }: SigningRequest,
): Promise<string> {
  const { treasury, passphrase } = deps;
  const inspected = read(envelopeXdr, passphrase);
  if (inspected.kind === 'fee_bump') {
    checkFeeBump(deps, inspected);
    return await signWith([treasury], envelopeXdr, inspected.hash, passphrase);
  }
  const source = channel ?? treasury;
  if (inspected.source !== source.address) throw new SigningRefused('unknown', 'it is of another account');
  const { purpose, outflows } = judgeTransaction(inspected, accounts);
  checkPurpose(purpose, channel);
  checkFee(deps, inspected.fee, inspected.operations.length);
  await checkCaps(deps, inspected, outflows);
  return await signWith(channel === null ? [treasury] : [treasury, channel], envelopeXdr, inspected.hash, passphrase);
}

function read(envelopeXdr: string, passphrase: string): InspectedEnvelope {
  try {
    return inspectEnvelope(envelopeXdr, passphrase);
  } catch (error) {
    throw new SigningRefused('unknown', error instanceof Error ? error.message : 'it cannot be read');
  }
}

/** Money leaves through channels only, and a channel carries nothing else. */
function checkPurpose(purpose: SigningPurpose, channel: SigningKey | null): void {
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
