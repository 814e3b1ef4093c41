import { describe, expect, it } from 'vitest';
import { decodeResult } from '../../../src/server/stellar/transaction/transaction-result.ts';
import { recordedTransactions } from './recorded-transactions.ts';

describe('a transaction result', () => {
  it('of stellar-core is decoded to Horizon’s names, with its fee', () => {
    const decoded = new Set<string>();
    for (const step of recordedTransactions()) {
      if (step.result_xdr === null) continue;
      const { codes, feeCharged, successful } = decodeResult(step.result_xdr);
      const { transaction, operations, inner_transaction: inner } = step.result_codes ?? {};
      expect(codes).toEqual({ transaction: inner ?? transaction, operations: operations ?? [] });
      expect(successful).toBe((inner ?? transaction) === 'tx_success');
      if (step.fee_charged !== null) expect(feeCharged).toBe(BigInt(step.fee_charged));
      for (const code of [codes.transaction, ...codes.operations]) decoded.add(code);
    }
    // The recordings have enough different codes to find a wrong spelling.
    expect(decoded.size).toBeGreaterThan(55);
  });

  it('that is invalid is refused', () => {
    expect(() => decodeResult('AAAA')).toThrow();
  });
});
