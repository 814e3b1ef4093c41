import type { Secrets } from '../../platform/secrets.ts';
import type { SigningKey } from '../transaction/signing-key.ts';
import {
  attachSignatures,
  type InspectedEnvelope,
  type InspectedFeeBump,
  inspectEnvelope,
  isSignedBy,
} from '../transaction/transaction.ts';
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

/**
 * Signs an allowed envelope, which uses the sequence number of `channel` (null: the treasury). Throws `SigningRefused`.
 */
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
  if (inspected.source !== (channel ?? treasury).address) throw refused('its source is another account');
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

/** A transfer must use a channel's sequence number. A set-up must use the treasury's. A claim may use either. */
function checkPurpose(purpose: SigningPurpose, channel: SigningKey | null): void {
  const isExpected = channel === null ? purpose !== 'transfer' : purpose !== 'setup';
  if (!isExpected) throw refused(`a ${purpose} must not use this account`);
}

/** A fee bump may only wrap a transaction that the treasury signed. */
function checkFeeBump(deps: SignerDeps, { feeSource, fee, inner }: InspectedFeeBump): void {
  const { address } = deps.treasury;
  if (feeSource !== address) throw refused('another account would pay the fee');
  if (!isSignedBy(inner, address)) throw refused('it did not sign the inner transaction');
  // A fee bump counts as one additional operation (CAP-15).
  checkFee(deps, fee, inner.operations.length + 1);
}

function checkFee({ feeCap }: SignerDeps, fee: bigint, operations: number): void {
  if (fee > feeCap * BigInt(operations)) throw new SigningRefused('cap', `a fee of ${fee} stroops is too high`);
}

async function checkCaps(deps: SignerDeps, hash: string, outflows: ReadonlyMap<string, bigint>): Promise<void> {
  for (const [asset, amount] of outflows) {
    const cap = capOf(deps.transactionCaps, asset);
    if (cap !== null && amount > cap) {
      throw new SigningRefused(
        'cap',
        `one transaction may send at most ${cap} stroops of ${asset}, not ${amount}`,
        asset,
      );
    }
  }
  const spend = [...outflows].map(([asset, amount]) => ({ asset, amount, cap: capOf(deps.dayCaps, asset) }));
  const over = await deps.spendBook.book({ treasury: deps.treasury.address, hash, outflows: spend });
  if (over !== null) throw new SigningRefused('day_cap', `the daily limit of ${over} would be exceeded`, over);
}

async function signWith(
  keys: readonly SigningKey[],
  envelopeXdr: string,
  hash: string,
  passphrase: string,
): Promise<string> {
  const sign = async (key: SigningKey) => ({
    address: key.address,
    signature: await key.sign({ hash, envelopeXdr }),
  });
  return attachSignatures(envelopeXdr, passphrase, ...(await Promise.all(keys.map(sign))));
}
