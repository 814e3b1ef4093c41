import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Recording, readRecording } from './recording.ts';
import { replay } from './replay.ts';

const folder = join(import.meta.dirname, '../../../fixtures/stellar-core');
const files = readdirSync(folder).filter(name => name.endsWith('.json.br'));
const read = (file: string) => readRecording(join(folder, file));

describe('the ledger agrees with stellar-core', () => {
  it.each(files)('%s', file => {
    expect(replay(read(file))).toEqual([]);
  });
});

describe('a replay', () => {
  const recording = read('offers__cross_full_and_partial.json.br');

  it.each<[string, (copy: Recording) => Recording, RegExp]>([
    ['a balance', copy => withAccount(copy, { balance: '1' }), /balance is "\d+", expected "1"/],
    ['an entry that should not be', copy => withState(copy, { offers: [] }), /offer \d+ should not exist/],
    ['an entry that is missing', copy => withState(copy, { pools: [{ id: 'ab' }] }), /pool ab is missing/],
    [
      'a result',
      copy => withFirstTransaction(copy, { result_xdr: 'AAAAAAAAAGT////7AAAAAA==' }),
      /result .*, expected .*tx_bad_seq/,
    ],
    [
      'a status',
      copy => withFirstTransaction(copy, { expected_submit_status: 'DUPLICATE' }),
      /status PENDING, expected DUPLICATE/,
    ],
    ['a fee', copy => withFirstTransaction(copy, { fee_charged: '1' }), /fee \d+, expected 1/],
    ['a header', copy => withFirstClose(copy, { fee_pool: '1' }), /header .*, expected .*/],
  ])('reports %s that differs', (_name, change, message) => {
    expect(
      replay(change(recording))
        .map(({ what }) => what)
        .join('\n'),
    ).toMatch(message);
  });
});

const withState = (copy: Recording, state: Partial<Recording['final_state']>): Recording => ({
  ...copy,
  final_state: { ...copy.final_state, ...state },
});

const withAccount = (copy: Recording, fields: object): Recording =>
  withState(copy, {
    accounts: copy.final_state.accounts.map((account, i) => (i === 0 ? { ...account, ...fields } : account)),
  });

function withFirst(kind: 'tx' | 'close') {
  return (copy: Recording, fields: object): Recording => {
    const index = copy.steps.findIndex(step => step.kind === kind);
    return { ...copy, steps: copy.steps.map((step, i) => (i === index ? { ...step, ...fields } : step)) };
  };
}

const withFirstTransaction = withFirst('tx');
const withFirstClose = withFirst('close');
