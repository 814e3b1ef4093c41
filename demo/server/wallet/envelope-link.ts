import { decodeAddressToMuxedAccount, Transaction, TransactionBuilder, xdr } from '@stellar/stellar-sdk/base';
import type { Draft, EnvelopeLink } from '../../wallet-wire.ts';
import { textOf } from './account-view.ts';
import { checkNetwork, type HorizonAccount } from './horizon.ts';
import type { LedgerDeps } from './new-transaction.ts';
import { memoText, stepsOf } from './operation-words.ts';
import { WalletError } from './wallet-error.ts';

/** The account whose key nobody has: it stands where the wallet is to put its own (SEP-7, `tx`). */
const nobody = 'GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF';

/** The transaction of a SEP-7 `tx` link, filled in for the account. Throws WalletError where it is not for this wallet. */
export async function envelopeDraft(
  { horizon }: LedgerDeps,
  account: HorizonAccount,
  link: EnvelopeLink,
): Promise<Draft> {
  const passphrase = await checkNetwork(horizon, link.networkPassphrase);
  const transaction = filledIn(read(link.xdr, passphrase), account, link.replace, passphrase);
  if (transaction.source !== account.account_id) {
    throw new WalletError('refused', 'This transaction is another account’s to sign, not this wallet’s.');
  }
  const maxTime = Number(transaction.timeBounds?.maxTime ?? 0);
  return {
    hash: Buffer.from(transaction.hash()).toString('hex'),
    envelopeXdr: transaction.toXdr(),
    steps: stepsOf(transaction.operations, account.account_id),
    memo: memoText(transaction.memo),
    fee: textOf(BigInt(transaction.fee)),
    expiresAt: maxTime === 0 ? null : new Date(maxTime * 1000).toISOString(),
  };
}

function read(envelopeXdr: string, passphrase: string): Transaction {
  let found: unknown;
  try {
    found = TransactionBuilder.fromXdr(envelopeXdr, passphrase);
  } catch (cause) {
    throw new WalletError('unreadable', 'The transaction in this link cannot be read.', { cause });
  }
  if (found instanceof Transaction) return found;
  throw new WalletError('unreadable', 'The transaction in this link is one that this wallet does not sign.');
}

/**
 * Puts the wallet's account and its next number where the link leaves them open: in the fields that it names (SEP-11),
 * or by a source that nobody has and a number of zero.
 */
function filledIn(
  transaction: Transaction,
  account: HorizonAccount,
  replace: readonly string[],
  passphrase: string,
): Transaction {
  const open = replace.map(field => /^(?:(sourceAccount|seqNum)|operations\[(\d+)\]\.sourceAccount)$/.exec(field));
  if (open.includes(null)) {
    throw new WalletError('unreadable', 'This link leaves something open that this wallet cannot fill in.');
  }
  const names = new Set(open.map(match => match?.[1]));
  const places = new Set(open.map(match => Number(match?.[2])));
  const takesSource = names.has('sourceAccount') || transaction.source === nobody;
  const takesNumber = takesSource || names.has('seqNum') || transaction.sequence === '0';
  if (!takesNumber && open.length === 0) return transaction;
  const tx = modern(transaction);
  const ours = decodeAddressToMuxedAccount(account.account_id);
  const filled = new xdr.Transaction({
    ...tx,
    sourceAccount: takesSource ? ours : tx.sourceAccount,
    seqNum: takesNumber ? BigInt(account.sequence) + 1n : tx.seqNum,
    operations: tx.operations.map((operation, at) =>
      places.has(at) ? new xdr.Operation({ ...operation, sourceAccount: ours }) : operation,
    ),
  });
  const envelope = xdr.TransactionEnvelope.envelopeTypeTx(
    new xdr.TransactionV1Envelope({ tx: filled, signatures: [] }),
  );
  return read(envelope.toXdr('base64'), passphrase);
}

/** The transaction in the form that muxed accounts brought (CAP-27); links older than that have the one before. */
function modern(transaction: Transaction): xdr.Transaction {
  const { tx } = transaction;
  return tx instanceof xdr.Transaction ? tx : modern(TransactionBuilder.cloneFrom(transaction).build());
}
