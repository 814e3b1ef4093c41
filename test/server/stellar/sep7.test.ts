import { createHash } from 'node:crypto';
import { Keypair } from '@stellar/stellar-sdk/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSep7Link } from '../../../demo/wallet/sep7-link.ts';
import { parseUnits } from '../../../src/core/money.ts';
import { publicPassphrase, testPassphrase } from '../../../src/core/stellar/stellar-network.ts';
import { createSep7Links, originDomainOf } from '../../../src/server/stellar/sep7.ts';
import { muxedAddress } from '../../../src/server/stellar/transaction/muxed-address.ts';
import { bytesSigner, seedOf } from '../../../src/server/stellar/transaction/signing-key.ts';
import { isSignedLink } from '../../support/signed-link.ts';

const destination = 'GCALNQQBXAPZ2WIRSDDBMSTAKCUH5SG6U76YBFLQLIXJTF7FE5AX7AOO';
const issuer = 'GCRCUE2C5TBNIPYHMEP7NK5RWTT2WBSZ75CMARH7GDOHDDCQH3XANFOB';
const someKey = () => createHash('sha256').update('uri').digest();
const links = (passphrase = testPassphrase, domain: string | null = 'pay.example.com') =>
  createSep7Links({ passphrase, originDomain: () => domain, signer: bytesSigner(someKey()) });
const address = bytesSigner(someKey()).address;

describe('a signed link', () => {
  // The example of SEP-7, “Request Signing”.
  const seed = 'SBPOVRVKTTV7W3IOX2FJPSMPCJ5L2WU2YKTP3HCLYPXNI5MDIGREVNYC';
  const unsigned = `web+stellar:pay?destination=${destination}&amount=120.1234567&memo=skdjfasf&msg=pay%20me%20with%20lumens&origin_domain=someDomain.com`;
  const signature = 'JTlGMGzxUv90P2SWxUY9xo%2BLlbXaDloend6gkpyylY8X4bUNf6%2F9mFTMJs7JKqSDPRtejlK1kQvrsJfRZSJeAQ%3D%3D';

  it('equals the example of the standard', () => {
    const key = Keypair.fromSecret(seed).publicKey();
    expect(bytesSigner(seedOf(seed)!).address).toBe(key);
    expect(isSignedLink(`${unsigned}&signature=${signature}`, key)).toBe(true);
  });

  it('contains its domain, and its signature is the last parameter', () => {
    const link = links().payUri({ destination, asset: 'XLM', amount: 1n, message: 'Order 7' });
    expect(link).toMatch(/&origin_domain=pay\.example\.com&signature=[^&]+$/);
    expect(isSignedLink(link, address)).toBe(true);
  });

  it('is invalid after a change, or with another key', () => {
    const link = links().payUri({ destination, asset: 'XLM', amount: 10_000_000n });
    expect(isSignedLink(link.replace('amount=1', 'amount=2'), address)).toBe(false);
    expect(isSignedLink(`${link}&amount=2`, address)).toBe(false);
    expect(isSignedLink(link, issuer)).toBe(false);
    expect(isSignedLink(link.replace(/&signature=.*/, ''), address)).toBe(false);
    expect(isSignedLink(link.replace(/signature=.{6}/, 'signature='), address)).toBe(false);
  });

  it('is not created when no wallet could look up the key', () => {
    const link = links(testPassphrase, null).payUri({ destination, asset: 'XLM', amount: 1n });
    expect(link).not.toMatch(/origin_domain|signature/);
  });
});

describe('the domain of a URL', () => {
  it.each([
    ['https://pay.example.com', 'pay.example.com'],
    ['https://pay.example.com/base', 'pay.example.com'],
    ['http://localhost:4242', 'localhost:4242'],
    ['http://127.0.0.1:8080', '127.0.0.1:8080'],
    ['http://pay.example.com', null],
    ['https://pay.example.com:8443', null],
    ['https://192.168.1.7', null],
    ['https://intranet', null],
  ])('%s is %s', (url, domain) => {
    expect(originDomainOf(url)).toBe(domain);
  });
});

describe('a payment link', () => {
  it('equals the standard’s examples', () => {
    const unsigned = links(publicPassphrase, null);
    expect(unsigned.payUri({ destination, asset: `USD:${issuer}`, amount: 1_201_230_000n })).toBe(
      `web+stellar:pay?destination=${destination}&amount=120.123&asset_code=USD&asset_issuer=${issuer}`,
    );
    expect(unsigned.payUri({ destination, asset: 'XLM', amount: 1_201_234_567n, message: 'pay me with lumens' })).toBe(
      `web+stellar:pay?destination=${destination}&amount=120.1234567&msg=pay%20me%20with%20lumens`,
    );
  });

  it.each<[string, bigint, string]>([
    ['a whole number', 120_000_000n, '12'],
    ['the smallest amount', 1n, '0.0000001'],
    ['a round number', 1_000_000_000n, '100'],
  ])('has an amount: %s', (_, amount, text) => {
    const link = links().payUri({ destination, asset: 'XLM', amount });
    expect(new URLSearchParams(link.slice(link.indexOf('?'))).get('amount')).toBe(text);
  });

  it('has a message of at most 300 characters', () => {
    const read = readSep7Link(links().payUri({ destination, asset: 'XLM', amount: 1n, message: '😀'.repeat(200) }));
    expect(read.message?.length).toBeLessThanOrEqual(300);
    expect(read.message?.isWellFormed()).toBe(true);
  });

  const payment = fc.record({
    destination: fc.oneof(
      fc.constant(destination),
      fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(id => muxedAddress(destination, id)),
    ),
    asset: fc.constantFrom('XLM', `USD:${issuer}`, `LONGASSET:${issuer}`),
    amount: fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }),
    message: fc.option(
      fc.string({ minLength: 1, maxLength: 100, unit: 'grapheme' }).filter(text => text.length <= 300),
    ),
  });

  it('is read by the demo’s independent wallet as it was created, with a valid signature', () => {
    fc.assert(
      fc.property(payment, asked => {
        const link = links().payUri(asked);
        expect(readSep7Link(link)).toMatchObject({
          ...asked,
          kind: 'pay',
          originDomain: 'pay.example.com',
          networkPassphrase: testPassphrase,
          amount: expect.toSatisfy(amount => parseUnits(amount, 7) === asked.amount),
        });
        expect(isSignedLink(link, address)).toBe(true);
      }),
    );
  });
});
