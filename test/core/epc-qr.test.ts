import fc from 'fast-check';
import qrcode from 'qrcode';
import { describe, expect, test } from 'vitest';
import { type EpcTransfer, epcPayload } from '../../src/core/bank/epc-qr.ts';

const transfer: EpcTransfer = {
  bic: 'BHBLDEHHXXX',
  name: 'Franz Mustermänn',
  iban: 'DE71110220330123456789',
  amount: 1_230n,
  text: '7F3K-92QX-4MTZC',
};
const bytes = (text: string) => new TextEncoder().encode(text).length;

describe('epcPayload', () => {
  test('writes the fields in the order of EPC069-12, one per line, without trailing lines', () => {
    expect(epcPayload(transfer)?.split('\n')).toEqual([
      'BCD',
      '002',
      '1',
      'SCT',
      'BHBLDEHHXXX',
      'Franz Mustermänn',
      'DE71110220330123456789',
      'EUR12.30',
      '',
      '',
      '7F3K-92QX-4MTZC',
    ]);
  });

  test.each([
    [1n, 'EUR0.01'],
    [100n, 'EUR1.00'],
    [12_840n, 'EUR128.40'],
    [99_999_999_999n, 'EUR999999999.99'],
  ])('writes %i cents as %s', (amount, text) => {
    expect(epcPayload({ ...transfer, amount })?.split('\n')[7]).toBe(text);
  });

  test.each([
    ['an amount of zero', { amount: 0n }],
    ['an amount above the standard’s limit', { amount: 100_000_000_000n }],
    ['a beneficiary without a name', { name: ' \n\u200b ' }],
    ['a text that is too long', { text: 'x'.repeat(141) }],
    ['an account outside of SEPA', { iban: 'AE070331234567890123456' }],
    ['an account in Turkey', { iban: 'TR330006100519786457841326' }],
  ])('returns no payload for %s', (_, changes) => {
    expect(epcPayload({ ...transfer, ...changes })).toBeNull();
  });

  test('removes line breaks from a name, which would move later fields', () => {
    const lines = epcPayload({ ...transfer, name: 'Nordlys\r\nDE00EVIL\u2028Supply' })?.split(/\r|\n|\u2028/);
    expect(lines).toHaveLength(11);
    expect(lines?.[5]).toBe('Nordlys DE00EVIL Supply');
  });

  test('fits 331 bytes and QR version 13 whatever the name', () => {
    const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 120 });
    fc.assert(
      fc.property(fc.oneof(name, fc.constant('付'.repeat(100)), fc.constant('𝒩'.repeat(100))), name => {
        const payload = epcPayload({ ...transfer, name, amount: 99_999_999_999n, text: 'x'.repeat(35) });
        if (payload === null) return name.replace(/[\p{C}\s]/gu, '') === '';
        const lines = payload.split('\n');
        return (
          bytes(payload) <= 331 &&
          lines.length === 11 &&
          [...(lines[5] ?? '')].length <= 70 &&
          qrcode.create(payload, { errorCorrectionLevel: 'M' }).version <= 13
        );
      }),
    );
  });
});
