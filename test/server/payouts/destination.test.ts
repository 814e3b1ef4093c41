import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PayoutDestination } from '../../../src/api/payout.ts';
import { parseAsset } from '../../../src/core/asset.ts';
import { computeCheckDigits } from '../../../src/core/bank/iban.ts';
import { PayError } from '../../../src/core/error.ts';
import { encodeStrkey } from '../../../src/core/stellar/strkey.ts';
import { checkDestination } from '../../../src/server/payouts/destinations/destination.ts';
import type { DestinationContext } from '../../../src/server/payouts/destinations/destination-context.ts';

const key = new Uint8Array(32).fill(7);
const account = encodeStrkey('G', key);
const muxed = encodeStrkey('M', new Uint8Array(40).fill(7));
const contract = encodeStrkey('C', key);
const seed = encodeStrkey('S', key);
const issuer = encodeStrkey('G', new Uint8Array(32).fill(9));
const own = encodeStrkey('G', new Uint8Array(32).fill(11));
const context: DestinationContext = {
  ownAccount: own,
  assets: (text, param) => {
    const asset = parseAsset(text, { USDC: issuer });
    if (asset === null) throw new PayError('invalid_asset', 'no asset', { param });
    return asset;
  },
  providers: ['mtn', 'mpesa'],
};

type Fields = Readonly<Record<string, unknown>>;

const check = (destination: object) =>
  checkDestination(destination as PayoutDestination, 'payouts[3].destination', context);
const bank = (fields: Fields) => ({ type: 'bank_account', ...fields });
const wallet = (fields: Fields) => ({
  type: 'crypto_wallet',
  chain: 'stellar',
  address: account,
  asset: 'USDC',
  ...fields,
});
const usdc = `USDC:${issuer}`;
const iban = 'DE89370400440532013000';

describe('checkDestination returns one spelling of', () => {
  test.each<[string, object, Fields]>([
    ['an IBAN', bank({ iban: 'de89 3704 0044 0532 0130 00' }), { iban }],
    ['an IBAN with its country', bank({ iban, country: 'de' }), { iban }],
    ['an IBAN with its BIC', bank({ iban, bic: 'deutdeff' }), { iban, bic: 'DEUTDEFF' }],
    [
      'an IBAN with the BIC of a territory',
      bank({ iban: 'FR1420041010050500013M02606', bic: 'psstreppxxx' }),
      { iban: 'FR1420041010050500013M02606', bic: 'PSSTREPPXXX' },
    ],
    [
      'a US account',
      bank({ routing: '021000021', account: '1234-5678' }),
      { routing: '021000021', account: '12345678', country: 'US' },
    ],
    [
      'a British account',
      bank({ routing: '20-00-00', account: '55779911', country: 'gb', account_holder: ' Ada ' }),
      { routing: '200000', account: '55779911', country: 'GB', account_holder: 'Ada' },
    ],
    [
      'a Nigerian account',
      bank({ routing: '011', account: '0000014579', country: 'NG' }),
      { routing: '011', account: '0000014579', country: 'NG' },
    ],
    [
      'a Mexican account',
      bank({ account: '032180000118359719', country: 'MX' }),
      { account: '032180000118359719', country: 'MX' },
    ],
    [
      'an account by BIC',
      bank({ bic: 'HDFCINBB', account: '50100 1234', country: 'in' }),
      { bic: 'HDFCINBB', account: '501001234', country: 'IN' },
    ],
    [
      'a mobile-money wallet',
      { type: 'mobile_money', provider: 'MTN', number: '+233 24-123 4567' },
      { provider: 'mtn', number: '+233241234567' },
    ],
    ['a wallet', wallet({ chain: 'Stellar' }), { chain: 'stellar', address: account, asset: usdc }],
    ['a muxed account', wallet({ address: muxed, asset: 'XLM' }), { chain: 'stellar', address: muxed, asset: 'XLM' }],
    [
      'a memo of digits',
      wallet({ memo: '42' }),
      { chain: 'stellar', address: account, asset: usdc, memo: '42', memo_type: 'id' },
    ],
    [
      'a memo of letters',
      wallet({ memo: 'grüße' }),
      { chain: 'stellar', address: account, asset: usdc, memo: 'grüße', memo_type: 'text' },
    ],
    [
      'a memo in base64',
      wallet({ memo: Buffer.from(key).toString('base64'), memo_type: 'hash' }),
      { chain: 'stellar', address: account, asset: usdc, memo: '07'.repeat(32), memo_type: 'hash' },
    ],
    [
      'a claimable balance',
      wallet({ claimable_balance: true }),
      { chain: 'stellar', address: account, asset: usdc, claimable_balance: true },
    ],
  ])('%s', (_, given, expected) => {
    expect(check(given)).toEqual({ destination: { type: (given as { type: string }).type, ...expected } });
  });

  test.each([
    ['ethereum', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
    ['base', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
    ['bitcoin', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', null],
    ['bitcoin', '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', null],
    ['bitcoin', 'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
    ['bitcoin', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0', null],
    ['litecoin', 'LVg2kJoFNg45Nbpy53h7Fe1wKyeXVRhMH9', null],
    ['dogecoin', 'DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L', null],
    ['tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', null],
    ['solana', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', null],
    ['xrpl', 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh', null],
  ])('an address on %s: %s', (chain, address, spelling) => {
    const expected = { type: 'crypto_wallet', chain, address: spelling ?? address, asset: 'USDC' };
    expect(check(wallet({ chain, address }))).toEqual({ destination: expected });
  });

  test('a destination tag on xrpl', () => {
    const given = wallet({ chain: 'xrpl', address: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh', memo: '007' });
    expect(check(given)).toMatchObject({ destination: { memo: '7', memo_type: 'id' } });
  });
});

describe('checkDestination refuses', () => {
  test.each<[string, object, string, string]>([
    ['nothing', bank({}), '', 'invalid_destination'],
    ['an IBAN with a wrong digit', bank({ iban: 'DE89370400440532013001' }), 'iban', 'invalid_iban'],
    ['an IBAN of the wrong length', bank({ iban: 'DE8937040044053201300' }), 'iban', 'invalid_iban'],
    ['an IBAN of a country without', bank({ iban: 'US89370400440532013000' }), 'iban', 'invalid_iban'],
    ['an IBAN and an account', bank({ iban, account: '1' }), 'account', 'invalid_destination'],
    ['an IBAN and a routing number', bank({ iban, routing: '021000021' }), 'routing', 'invalid_destination'],
    ['an IBAN and another country', bank({ iban, country: 'FR' }), 'country', 'invalid_destination'],
    ['the BIC of another country', bank({ iban, bic: 'BNPAFRPP' }), 'bic', 'invalid_bic'],
    ['a BIC of nine characters', bank({ iban, bic: 'DEUTDEFF5' }), 'bic', 'invalid_bic'],
    ['a BIC alone', bank({ bic: 'DEUTDEFF' }), 'account', 'invalid_destination'],
    ['a BIC without country', bank({ bic: 'DEUTDEFF', account: '1' }), 'country', 'invalid_destination'],
    [
      'a BIC with a routing number',
      bank({ bic: 'DEUTDEFF', routing: '1', account: '1' }),
      'routing',
      'invalid_destination',
    ],
    ['a BIC that is not of the account', bank({ bic: 'DEUTDEFF', account: '1', country: 'IN' }), 'bic', 'invalid_bic'],
    [
      'an account by BIC with signs',
      bank({ bic: 'HDFCINBB', account: '1/2', country: 'IN' }),
      'account',
      'invalid_account_number',
    ],
    [
      'an ABA number with a wrong digit',
      bank({ routing: '021000022', account: '12345' }),
      'routing',
      'invalid_routing_number',
    ],
    [
      'a US account of three digits',
      bank({ routing: '021000021', account: '123' }),
      'account',
      'invalid_account_number',
    ],
    ['a routing number alone', bank({ routing: '021000021' }), 'account', 'invalid_destination'],
    ['an account alone', bank({ account: '12345678' }), 'routing', 'invalid_destination'],
    [
      'a short sort code',
      bank({ routing: '20000', account: '55779911', country: 'GB' }),
      'routing',
      'invalid_routing_number',
    ],
    [
      'a short British account',
      bank({ routing: '200000', account: '5577991', country: 'GB' }),
      'account',
      'invalid_account_number',
    ],
    [
      'a short NUBAN',
      bank({ routing: '011', account: '000001457', country: 'NG' }),
      'account',
      'invalid_account_number',
    ],
    [
      'a NUBAN of another bank',
      bank({ routing: '058', account: '0000014579', country: 'NG' }),
      'account',
      'invalid_account_number',
    ],
    [
      'a CLABE with a wrong digit',
      bank({ account: '032180000118359718', country: 'MX' }),
      'account',
      'invalid_account_number',
    ],
    ['a short CLABE', bank({ account: '03218000011835971', country: 'MX' }), 'account', 'invalid_account_number'],
    [
      'a CLABE with a routing number',
      bank({ routing: '1', account: '032180000118359719', country: 'MX' }),
      'routing',
      'invalid_destination',
    ],
    [
      'numbers of a country without form',
      bank({ routing: '1', account: '1', country: 'DE' }),
      'country',
      'invalid_destination',
    ],
    [
      'an unknown provider',
      { type: 'mobile_money', provider: 'nokia', number: '+233241234567' },
      'provider',
      'invalid_provider',
    ],
    [
      'a number without country',
      { type: 'mobile_money', provider: 'mtn', number: '0241234567' },
      'number',
      'invalid_phone_number',
    ],
    [
      'a number that is too long',
      { type: 'mobile_money', provider: 'mtn', number: '+23324123456789' },
      'number',
      'invalid_phone_number',
    ],
    ['an unknown chain', wallet({ chain: 'moon' }), 'chain', 'invalid_chain'],
    [
      'an address of another chain',
      wallet({ address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' }),
      'address',
      'invalid_address',
    ],
    ['an address with a wrong checksum', wallet({ address: `${account.slice(0, -1)}A` }), 'address', 'invalid_address'],
    ['a federation name', wallet({ address: 'ada*example.com' }), 'address', 'invalid_address'],
    ['a secret key', wallet({ address: seed }), 'address', 'invalid_address'],
    ['the account from which the service pays', wallet({ address: own }), 'address', 'invalid_destination'],
    ['a contract', wallet({ address: contract }), 'address', 'invalid_address'],
    ['a contract with a memo', wallet({ address: contract, memo: '1' }), 'memo', 'invalid_memo'],
    ['a muxed account with a memo', wallet({ address: muxed, memo: '1' }), 'memo', 'invalid_memo'],
    ['a text of 29 bytes', wallet({ memo: `${'ü'.repeat(14)}x` }), 'memo', 'invalid_memo'],
    ['an id beyond 64 bits', wallet({ memo: '18446744073709551616' }), 'memo', 'invalid_memo'],
    ['an id of letters', wallet({ memo: 'x', memo_type: 'id' }), 'memo', 'invalid_memo'],
    ['a short hash', wallet({ memo: '07'.repeat(31), memo_type: 'hash' }), 'memo', 'invalid_memo'],
    ['a return of letters', wallet({ memo: 'x', memo_type: 'return' }), 'memo', 'invalid_memo'],
    ['a memo type without memo', wallet({ memo_type: 'id' }), 'memo', 'invalid_memo'],
    ['digits that may be text or id', wallet({ memo: '007' }), 'memo_type', 'invalid_memo'],
    ['an unknown asset', wallet({ asset: 'DOGE' }), 'asset', 'invalid_asset'],
    [
      'a claimable balance of XLM',
      wallet({ asset: 'XLM', claimable_balance: true }),
      'claimable_balance',
      'invalid_destination',
    ],
    [
      'a claimable balance for a muxed account',
      wallet({ address: muxed, claimable_balance: true }),
      'claimable_balance',
      'invalid_destination',
    ],
    [
      'a claimable balance elsewhere',
      wallet({ chain: 'tron', address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', claimable_balance: true }),
      'claimable_balance',
      'invalid_destination',
    ],
    [
      'a memo elsewhere',
      wallet({ chain: 'tron', address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', memo: '1' }),
      'memo',
      'invalid_memo',
    ],
    [
      'a text as tag',
      wallet({ chain: 'xrpl', address: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh', memo: 'x' }),
      'memo',
      'invalid_memo',
    ],
    [
      'a tag beyond 32 bits',
      wallet({ chain: 'xrpl', address: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh', memo: '4294967296' }),
      'memo',
      'invalid_memo',
    ],
    [
      'words as asset',
      wallet({ chain: 'solana', address: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', asset: 'a b' }),
      'asset',
      'invalid_asset',
    ],
  ])('%s', (_, given, field, code) => {
    const param = field === '' ? 'payouts[3].destination' : `payouts[3].destination.${field}`;
    const found = check(given);
    expect(found).toEqual({ errors: [{ param, code, message: expect.any(String) }] });
    expect(JSON.stringify(found)).not.toContain(seed);
  });

  test.each([
    ['ethereum', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD'],
    ['ethereum', '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
    ['ethereum', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
    ['bitcoin', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb'],
    ['bitcoin', 'LVg2kJoFNg45Nbpy53h7Fe1wKyeXVRhMH9'],
    ['bitcoin', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5'],
    ['bitcoin', 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9'],
    // Version 0 with the checksum of version 1, and the reverse (BIP 350).
    ['bitcoin', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh'],
    ['bitcoin', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd'],
    ['bitcoin', '0OIl'],
    ['dogecoin', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
    ['tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u'],
    ['solana', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyT'],
    ['xrpl', 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTi'],
    ['xrpl', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
  ])('on %s the address %s', (chain, address) => {
    const error = { param: 'payouts[3].destination.address', code: 'invalid_address', message: expect.any(String) };
    expect(check(wallet({ chain, address }))).toEqual({ errors: [error] });
  });

  test('several wrong fields at once', () => {
    const found = check(wallet({ address: 'x', memo: '1', memo_type: 'hash', asset: 'DOGE' }));
    expect('errors' in found && found.errors.map(({ param }) => param.split('.')[2])).toEqual([
      'address',
      'memo',
      'asset',
    ]);
  });
});

test('an IBAN passes, and with another digit it does not', () => {
  const digits = fc.stringMatching(/^[0-9]{18}$/);
  fc.assert(
    fc.property(digits, fc.nat(17), fc.integer({ min: 1, max: 9 }), (bban, at, step) => {
      const right = `DE${computeCheckDigits('DE', bban)}${bban}`;
      const place = at + 4;
      const wrong = right.slice(0, place) + ((Number(right[place]) + step) % 10) + right.slice(place + 1);
      expect(check(bank({ iban: right }))).toEqual({ destination: bank({ iban: right }) });
      expect(check(bank({ iban: wrong }))).toMatchObject({ errors: [{ code: 'invalid_iban' }] });
    }),
  );
});
