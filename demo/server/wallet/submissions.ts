import { Transaction, TransactionBuilder } from '@stellar/stellar-sdk/base';
import type { Progress, Submission } from '../../wallet-wire.ts';
import type { Horizon } from './horizon.ts';
import { refusalOf } from './result-words.ts';
import { WalletError } from './wallet-error.ts';

/** Puts the signature on its envelope and hands it in. Handing the same in twice pays once. */
export async function handIn(horizon: Horizon, { from, envelopeXdr, signature }: Submission): Promise<Progress> {
  const transaction = signed(envelopeXdr, await horizon.passphrase(), from, signature);
  const hash = Buffer.from(transaction.hash()).toString('hex');
  const answer = await horizon.handIn(transaction.toXdr());
  switch (answer.status) {
    case 'PENDING':
    case 'DUPLICATE':
      return { state: 'waiting', hash };
    case 'TRY_AGAIN_LATER':
      return { state: 'retry', hash };
    case 'ERROR':
      return await refused(horizon, hash, answer.resultXdr);
  }
}

/** A refused envelope may be in a ledger already, handed in before: only if it is not, nothing was paid. */
async function refused(horizon: Horizon, hash: string, resultXdr: string | null): Promise<Progress> {
  const earlier = await inLedger(horizon, hash);
  return earlier ?? { state: 'failed', hash, problem: refusalOf(resultXdr).problem };
}

function signed(envelopeXdr: string, passphrase: string, from: string, signature: string): Transaction {
  try {
    const transaction = TransactionBuilder.fromXdr(envelopeXdr, passphrase);
    if (!(transaction instanceof Transaction)) throw new TypeError('a fee bump is not signed here');
    transaction.addSignature(from, signature);
    return transaction;
  } catch (cause) {
    throw new WalletError('unreadable', 'The signature does not fit the transaction.', { cause });
  }
}

/**
 * Where a transaction stands. That it is in no ledger is final only once a ledger is closed that came after its time
 * bound (`until`, RFC 3339), so that one is asked for first.
 */
export async function progressOf(horizon: Horizon, hash: string, until: string | null): Promise<Progress> {
  const [newest] = await horizon.list<{ closed_at: string }>('/ledgers?order=desc&limit=1');
  const found = await inLedger(horizon, hash);
  if (found !== null) return found;
  const isOver = until !== null && newest !== undefined && Date.parse(newest.closed_at) > Date.parse(until);
  if (!isOver) return { state: 'waiting', hash };
  const problem = { code: 'expired', message: 'The network did not take it in time, so nothing was paid.' } as const;
  return { state: 'failed', hash, problem };
}

async function inLedger(horizon: Horizon, hash: string): Promise<Progress | null> {
  const found = await horizon.find<{ successful: boolean; ledger: number; result_xdr: string }>(
    `/transactions/${hash}`,
  );
  if (found === null) return null;
  if (found.successful) return { state: 'applied', hash, ledger: found.ledger };
  return { state: 'failed', hash, problem: refusalOf(found.result_xdr).problem };
}
