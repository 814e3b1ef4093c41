import { describe, expect, it } from 'vitest';
import {
  formatQrReference,
  qrReference,
  readSwissQr,
  type SwissBill,
  swissQrPayload,
} from '../../src/core/bank/swiss-qr.ts';

const creditor = {
  name: 'Robert Schneider AG',
  street: 'Rue du Lac',
  buildingNumber: '1268',
  postalCode: '2501',
  town: 'Biel',
  country: 'CH',
};
const debtor = {
  name: 'Pia-Maria Rutschmann-Schnyder',
  street: 'Grosse Marktgasse',
  buildingNumber: '28',
  postalCode: '9400',
  town: 'Rorschach',
  country: 'CH',
};
const bill: SwissBill = {
  iban: 'CH5800791123000889012',
  creditor,
  amount: 19_995n,
  currency: 'CHF',
  debtor,
  message: 'Auftrag vom 15.09.2026',
  reference: null,
};
const byReference = { iban: 'CH4431999123000889012', reference: '210000000003139471430009017' };

describe('the payload of a Swiss QR bill', () => {
  it('has the fields of the Implementation Guidelines QR-bill', () => {
    expect(swissQrPayload(bill)?.split('\n')).toEqual([
      ...['SPC', '0200', '1', 'CH5800791123000889012'],
      ...['S', 'Robert Schneider AG', 'Rue du Lac', '1268', '2501', 'Biel', 'CH'],
      ...['', '', '', '', '', '', ''],
      ...['199.95', 'CHF'],
      ...['S', 'Pia-Maria Rutschmann-Schnyder', 'Grosse Marktgasse', '28', '9400', 'Rorschach', 'CH'],
      ...['NON', '', 'Auftrag vom 15.09.2026', 'EPD'],
    ]);
  });

  it.each<[string, Partial<SwissBill>]>([
    ['with a debtor', {}],
    ['without a debtor', { debtor: null }],
    ['with a QR reference', byReference],
    ['in euros', { currency: 'EUR', amount: 1n }],
    ['of the largest amount', { amount: 99_999_999_999n }],
  ])('is parsed to the original bill, %s', (_, changes) => {
    const whole = { ...bill, ...changes };
    expect(readSwissQr(swissQrPayload(whole) ?? '')).toEqual(whole);
  });

  it('removes line breaks from a field, which would move later fields', () => {
    const payload = swissQrPayload({ ...bill, message: 'a\r\nEPD\u2028b', creditor: { ...creditor, name: 'A\nB' } });
    expect(payload?.split('\n')).toHaveLength(31);
    expect(readSwissQr(payload ?? '')).toMatchObject({ message: 'a EPD b', creditor: { name: 'A B' } });
  });

  it('truncates names to 70 characters', () => {
    const payload = swissQrPayload({ ...bill, creditor: { ...creditor, name: 'ü'.repeat(100) } });
    expect(readSwissQr(payload ?? '')?.creditor.name).toBe('ü'.repeat(70));
  });

  it('has the type QRR with a reference', () => {
    expect(
      swissQrPayload({ ...bill, ...byReference })
        ?.split('\n')
        .slice(27, 29),
    ).toEqual(['QRR', byReference.reference]);
  });

  it.each<[string, Partial<typeof debtor>]>([
    ['Greek', { name: 'Πυθαγόρας' }],
    ['Arabic', { street: 'شارع' }],
    ['emoji', { name: 'Ada 🦊' }],
    ['Vietnamese', { town: 'Việt Trì' }],
  ])('leaves a debtor in %s blank', (_, changes) => {
    const payload = swissQrPayload({ ...bill, debtor: { ...debtor, ...changes } });
    expect(payload?.split('\n').slice(20, 27)).toEqual(Array(7).fill(''));
  });

  it('takes accents in either form', () => {
    const name = 'Zoe\u0308 Łukasz Čapek Țepeș €';
    expect(readSwissQr(swissQrPayload({ ...bill, debtor: { ...debtor, name } }) ?? '')?.debtor?.name).toBe(
      name.normalize('NFC'),
    );
  });

  it('omits a debtor with an incomplete address', () => {
    expect(readSwissQr(swissQrPayload({ ...bill, debtor: { ...debtor, town: ' ' } }) ?? '')?.debtor).toBeNull();
  });

  it.each<[string, Partial<SwissBill>]>([
    ['another country’s IBAN', { iban: 'DE71110220330123456789' }],
    ['an IBAN with a wrong digit', { iban: 'CH5800791123000889013' }],
    ['a QR-IBAN without a QR reference', { iban: byReference.iban }],
    ['a QR reference for another IBAN', { reference: byReference.reference }],
    ['a creditor outside of the character set', { creditor: { ...creditor, name: '株式会社' } }],
    ['a message outside of the character set', { message: 'Спасибо' }],
    ['an amount of zero', { amount: 0n }],
    ['an amount above the limit', { amount: 100_000_000_000n }],
    ['a creditor without town', { creditor: { ...creditor, town: '' } }],
    ['a message that is too long', { message: 'x'.repeat(141) }],
  ])('is null for %s', (_, changes) => {
    expect(swissQrPayload({ ...bill, ...changes })).toBeNull();
  });

  it.each(['', 'BCD\n002\n1\nSCT', 'SPC\n0200\n1'])('is not parsed from %j', text => {
    expect(readSwissQr(text)).toBeNull();
  });
});

describe('a QR reference', () => {
  it.each([
    ['21000000000313947143000901', '210000000003139471430009017'],
    ['INV-0001', '000000000000000018233100017'],
    ['ABCDEFGHIJKLMNOPQRST-0001', '202122232425262728290001'],
  ])('of %s ends with its check digit', (number, reference) => {
    expect(qrReference(number)).toHaveLength(27);
    expect(qrReference(number)).toContain(reference);
  });

  it('is printed in groups from the right', () => {
    expect(formatQrReference('210000000003139471430009017')).toBe('21 00000 00003 13947 14300 09017');
  });
});
