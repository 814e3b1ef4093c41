import type { MemoWire, TransactionV1EnvelopeWire, TransactionWire } from '@stellar/stellar-sdk/xdr';
import { accountOf, signerText } from '../../core/state/identifiers.ts';
import { type DecodedEnvelope, decodeEnvelope } from '../../history/decoded-transaction.ts';
import type { TransactionRow } from '../../tables.ts';
import type { Links } from '../http/request.ts';
import { type Fields, muxedFields, present, timeText } from './fields.ts';

/**
 * A transaction as Horizon returns it, found by `hash`. For the inner hash of a fee bump, `signatures` are the inner
 * signatures. The record has no meta, as in a Horizon that runs with SKIP_TXMETA.
 */
export function transactionRecord(row: TransactionRow, links: Links, hash = row.hash): Fields {
  const envelope = decodeEnvelope(row.envelope);
  const { transaction } = envelope;
  const pagingToken = String(row.id);
  return present({
    _links: transactionLinks(links, hash, accountOf(transaction.sourceAccount), row.ledger, pagingToken),
    id: hash,
    paging_token: pagingToken,
    successful: row.successful,
    hash,
    ledger: row.ledger,
    created_at: timeText(row.closed_at),
    source_account: accountOf(transaction.sourceAccount),
    ...muxedFields(transaction.sourceAccount, 'account'),
    source_account_sequence: String(transaction.seqNum),
    ...feeFields(row, envelope),
    operation_count: transaction.operations.length,
    envelope_xdr: row.envelope,
    result_xdr: row.result,
    fee_meta_xdr: '',
    ...memoFields(transaction.memo),
    ...signatureFields(row, envelope, hash),
    preconditions: preconditions(transaction.cond),
  });
}

function transactionLinks(links: Links, hash: string, account: string, ledger: number, pagingToken: string): Fields {
  const self = links.to(`/transactions/${hash}`);
  return {
    self,
    account: links.to(`/accounts/${account}`),
    ledger: links.to(`/ledgers/${ledger}`),
    operations: links.page(`/transactions/${hash}/operations`),
    effects: links.page(`/transactions/${hash}/effects`),
    precedes: links.to(`/transactions?order=asc&cursor=${pagingToken}`),
    succeeds: links.to(`/transactions?order=desc&cursor=${pagingToken}`),
    transaction: self,
  };
}

function feeFields(row: TransactionRow, { transaction, feeBump }: DecodedEnvelope): Fields {
  const payer = feeBump?.transaction.feeSource ?? transaction.sourceAccount;
  return {
    fee_account: accountOf(payer),
    ...muxedFields(payer, 'fee_account'),
    fee_charged: String(row.fee_charged),
    max_fee: String(row.max_fee),
  };
}

/**
 * The memo. For a text memo, `memo_bytes` is exact. `memo` omits NUL characters and replaces bytes that are not UTF-8.
 */
function memoFields(memo: MemoWire): Fields {
  switch (memo.type) {
    case 0:
      return { memo_type: 'none' };
    case 1: {
      const bytes = Buffer.from(memo.text.bytes);
      return {
        memo_type: 'text',
        memo_bytes: bytes.toString('base64'),
        memo: bytes.toString('utf8').replaceAll('\0', ''),
      };
    }
    case 2:
      return { memo_type: 'id', memo: String(memo.id) };
    case 3:
      return { memo_type: 'hash', memo: Buffer.from(memo.hash).toString('base64') };
    case 4:
      return { memo_type: 'return', memo: Buffer.from(memo.retHash).toString('base64') };
  }
}

function signatureFields(
  row: TransactionRow,
  { transaction, signatures, feeBump }: DecodedEnvelope,
  hash: string,
): Fields {
  if (feeBump === null) return { signatures: texts(signatures) };
  const inner = texts(signatures);
  const outer = texts(feeBump.signatures);
  return {
    signatures: hash === row.hash ? outer : inner,
    fee_bump_transaction: { hash: row.hash, signatures: outer },
    inner_transaction: { hash: row.inner_hash, signatures: inner, max_fee: String(transaction.fee) },
  };
}

function texts(signatures: TransactionV1EnvelopeWire['signatures']): string[] {
  return signatures.map(({ signature }) => Buffer.from(signature).toString('base64'));
}

function preconditions(cond: TransactionWire['cond']): Fields | undefined {
  if (cond.type === 0) return undefined;
  if (cond.type === 1) return { timebounds: timeBounds(cond.timeBounds) };
  const { timeBounds: times, ledgerBounds, minSeqNum, minSeqAge, minSeqLedgerGap, extraSigners } = cond.v2;
  return {
    ...(times !== null && { timebounds: timeBounds(times) }),
    ...(ledgerBounds !== null && {
      ledgerbounds: {
        min_ledger: ledgerBounds.minLedger,
        ...(ledgerBounds.maxLedger !== 0 && { max_ledger: ledgerBounds.maxLedger }),
      },
    }),
    ...(minSeqNum !== null && { min_account_sequence: String(minSeqNum) }),
    ...(minSeqAge !== 0n && { min_account_sequence_age: String(minSeqAge) }),
    ...(minSeqLedgerGap !== 0 && { min_account_sequence_ledger_gap: minSeqLedgerGap }),
    ...(extraSigners.length > 0 && { extra_signers: extraSigners.map(signerText) }),
  };
}

function timeBounds({ minTime, maxTime }: { readonly minTime: bigint; readonly maxTime: bigint }): Fields {
  return { min_time: String(minTime), ...(maxTime !== 0n && { max_time: String(maxTime) }) };
}
