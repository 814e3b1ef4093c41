import { describe, expect, it } from 'vitest';
import { isBlankRemittance, namesIn } from '../../../src/core/bank/remittance-names.ts';

describe('names in a remittance text', () => {
  it.each([
    ['INV-0046', 'INV0046'],
    ['inv 0046', 'INV0046'],
    ['Invoice INV-0046, thank you', 'INV0046'],
    ['INVOICE NO. BB-2026/INV-0046 ADA LOVELACE', 'BB2026INV0046'],
    ['spring-sale/2026', 'SPRINGSALE2026'],
  ])('“%s” names %s', (text, name) => expect(namesIn(text)).toContain(name));

  it.each([
    ['INV-00461', 'INV0046'],
    ['XINV-0046', 'INV0046'],
    ['ÄINV-0046', 'INV0046'],
    ['INV-Ä0046', 'INV0046'],
    ['a b', 'AB'],
  ])('“%s” does not name %s', (text, name) => expect(namesIn(text)).not.toContain(name));

  it('are few, however long the text is', () => {
    expect(namesIn('ab '.repeat(100_000)).length).toBeLessThan(400);
  });

  it.each([null, '', ' \n', 'NOTPROVIDED', ' notprovided '])('are missing in %j', text => {
    expect(isBlankRemittance(text)).toBe(true);
  });
});
