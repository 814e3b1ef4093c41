import {
  Account,
  decodeAddressToMuxedAccount,
  type Memo,
  Transaction,
  TransactionBuilder,
  xdr,
} from '@stellar/stellar-sdk/base';
import type { EnvelopeLink } from '../../wallet-messages.ts';
import { checkNetwork, type HorizonAccount, type LedgerDeps, WalletError } from './horizon.ts';

/** A transaction without signatures, and the end of its validity (RFC 3339; null: none). */
export interface UnsignedTransaction {
  readonly transaction: Transaction;
  readonly expiresAt: string | null;
}

/** Time to sign a transaction and reach a ledger. */
const lifeSeconds = 180;
/** Largest fee per operation in stroops. The network usually charges 100 stroops. */
const feeBid = '10000';

/** Builds the account's next transaction. Throws the SDK's error for invalid operations. */
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

/** Placeholder account that the wallet replaces with its own (SEP-7, `tx`). */
const placeholder = 'GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF';

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
 * Fills in the wallet's account and sequence number (SEP-11). Replaces the fields that `replace` names, the placeholder
 * account, and a sequence number of zero.
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
  const takesSource = names.has('sourceAccount') || transaction.source === placeholder;
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

/** Converts a transaction of the old form to the current one, which supports muxed accounts (CAP-27). */
function modern(transaction: Transaction): xdr.Transaction {
  const { tx } = transaction;
  return tx instanceof xdr.Transaction ? tx : modern(TransactionBuilder.cloneFrom(transaction).build());
}
