import {
  Account,
  decodeAddressToMuxedAccount,
  type Memo,
  Transaction,
  TransactionBuilder,
  xdr,
} from '@stellar/stellar-sdk/base';
import type { EnvelopeLink } from '../../wallet-wire.ts';
import { checkNetwork, type HorizonAccount, type LedgerDeps, WalletError } from './horizon.ts';

/** A transaction without signatures, and when it ends (RFC 3339; null: never). */
export interface UnsignedTransaction {
  readonly transaction: Transaction;
  readonly expiresAt: string | null;
}

/** How long a transaction may wait for its signature and its ledger. */
const lifeSeconds = 180;
/** Stroops per operation at most; the network takes what it needs of it, usually 100. */
const feeBid = '10000';

/** The account's next transaction. Throws what the SDK throws for operations that cannot be. */
export async function newTransaction(
  { horizon, clock }: LedgerDeps,
  account: HorizonAccount,
  operations: readonly xdr.Operation[],
  memo?: Memo,
): Promise<UnsignedTransaction> {
  const maxTime = Math.floor(clock.now().getTime() / 1000) + lifeSeconds;
  const builder = new TransactionBuilder(new Account(account.account_id, account.sequence), {
    fee: feeBid,
    networkPassphrase: await horizon.passphrase(),
    timebounds: { minTime: 0, maxTime },
    ...(memo && { memo }),
  });
  for (const operation of operations) builder.addOperation(operation);
  return { transaction: builder.build(), expiresAt: new Date(maxTime * 1000).toISOString() };
}

/** The account whose key nobody has: it stands where the wallet is to put its own (SEP-7, `tx`). */
const nobody = 'GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF';

/** The transaction of a SEP-7 `tx` link, completed for the account. Throws WalletError when this wallet cannot sign it. */
export async function linkedTransaction(
  { horizon }: LedgerDeps,
  account: HorizonAccount,
  link: EnvelopeLink,
): Promise<UnsignedTransaction> {
  const passphrase = await checkNetwork(horizon, link.networkPassphrase);
  const transaction = filledIn(read(link.xdr, passphrase), account, link.replace, passphrase);
  if (transaction.source !== account.account_id) {
    throw new WalletError('refused', 'This transaction is another account’s to sign, not this wallet’s.');
  }
  const maxTime = Number(transaction.timeBounds?.maxTime ?? 0);
  return { transaction, expiresAt: maxTime === 0 ? null : new Date(maxTime * 1000).toISOString() };
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
