import { describe, expect, it } from 'vitest';
import { resultCodes } from '../../../src/sandbox/stellar/horizon/records/result-codes.ts';
import { recordedTransactions } from '../../server/stellar/recorded-transactions.ts';

/** Every distinct result in the recordings. */
const recordedResults = (): ReadonlyMap<string, unknown> =>
  new Map(
    recordedTransactions().flatMap(({ result_xdr, result_codes }) => (result_xdr ? [[result_xdr, result_codes]] : [])),
  );

describe('result codes', () => {
  it('are named as in every recorded result', () => {
    const results = recordedResults();
    expect(results.size).toBeGreaterThan(300);
    for (const [xdr, codes] of results) expect(resultCodes(xdr)).toEqual(codes);
  });

  it('of a fee bump’s inner transaction are returned for the inner hash', () => {
    // txFEE_BUMP_INNER_FAILED around txFAILED with one PAYMENT_UNDERFUNDED; the inner hash is 0x11….
    const result =
      'AAAAAAAAAZD////zEREREREREREREREREREREREREREREREREREREREREREAAAAAAAAAAP////8AAAABAAAAAAAAAAH////+AAAAAAAAAAA=';
    expect(resultCodes(result)).toEqual({
      transaction: 'tx_fee_bump_inner_failed',
      inner_transaction: 'tx_failed',
      operations: ['op_underfunded'],
    });
    expect(resultCodes(result, '11'.repeat(32))).toEqual({ transaction: 'tx_failed', operations: ['op_underfunded'] });
  });
});
