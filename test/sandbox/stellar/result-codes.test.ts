import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resultCodes } from '../../../src/sandbox/stellar/horizon/result-codes.ts';

const folder = join(import.meta.dirname, '../../../../shared/vectors/stellar-core');

interface Step {
  readonly kind: string;
  readonly result_xdr?: string | null;
  readonly result_codes?: unknown;
}

/** Every result there is in the recordings, once. */
function recordedResults(): ReadonlyMap<string, unknown> {
  const results = new Map<string, unknown>();
  for (const file of readdirSync(folder).filter(name => name.endsWith('.json'))) {
    const { steps } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { readonly steps: readonly Step[] };
    for (const { result_xdr, result_codes } of steps) if (result_xdr) results.set(result_xdr, result_codes);
  }
  return results;
}

describe('result codes', () => {
  it.skipIf(!existsSync(folder))('are spelt as in every recorded result (skipped without the recordings)', () => {
    const results = recordedResults();
    expect(results.size).toBeGreaterThan(300);
    for (const [xdr, codes] of results) expect(resultCodes(xdr)).toEqual(codes);
  });

  it('tells who asks for the transaction in a fee bump of that one alone', () => {
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
