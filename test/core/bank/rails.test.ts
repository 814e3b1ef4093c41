import { describe, expect, it } from 'vitest';
import { isNationalAccount, nationalAccounts } from '../../../src/core/bank/national-accounts.ts';
import { type ReceivingRailId, receivingRails, transferInstructions } from '../../../src/core/bank/rails.ts';

const sepa = { iban: 'LT647044001231465456', bic: 'CBVILT2X' };
const ach = { routing_number: '110000000', account_number: '000123456789', account_type: 'Checking' };

/** A right account of each rail, and wrong fields. */
const accounts: Readonly<
  Record<ReceivingRailId, [Readonly<Record<string, string>>, Readonly<Record<string, string>>]>
> = {
  sepa: [sepa, { iban: 'LT647044001231465457', bic: 'CBVILT' }],
  ach: [ach, { routing_number: '110000001', account_number: '123', account_type: 'Box' }],
};

describe.each(receivingRails)('instructions at %s', rail => {
  const [account, wrong] = accounts[rail];
  const form = { payee: 'Nordlys Supply', reference: '7F3K-92QX-4MTZC', amount: 12_840n };

  it('contain every field of the account', () => {
    const { rows } = transferInstructions(rail, { ...form, account });
    expect(rows.map(({ name }) => name)).toEqual(['account_holder', ...Object.keys(account), 'reference', 'amount']);
    expect(rows.at(-1)?.value).toBe('128.40');
  });

  it.each(Object.entries(wrong))('are refused for the %s %s', (name, value) => {
    const changed = { ...form, account: { ...account, [name]: value } };
    expect(() => transferInstructions(rail, changed)).toThrow(name);
  });
});

const national: Readonly<Record<string, readonly [string, string, string]>> = {
  US: ['110000000', '000123456789', '123'],
  GB: ['200000', '55779911', '5577991'],
  NG: ['011', '0000014579', '0000014578'],
  MX: ['', '032180000118359719', '032180000118359718'],
};

it.each([...nationalAccounts.keys()])('an account of %s is checked', country => {
  const [routing = '', right = '', wrong = ''] = national[country] ?? [];
  expect([isNationalAccount(country, right, routing), isNationalAccount(country, wrong, routing)]).toEqual([
    true,
    false,
  ]);
});
