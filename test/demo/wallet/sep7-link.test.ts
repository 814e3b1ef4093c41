import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Keypair } from '@stellar/stellar-sdk/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkOrigin, LinkProblem, readSep7Link } from '../../../demo/wallet/sep7-link.ts';

const to = 'GCALNQQBXAPZ2WIRSDDBMSTAKCUH5SG6U76YBFLQLIXJTF7FE5AX7AOO';
const muxed = 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAAGZFQ';
const issuer = 'GCRCUE2C5TBNIPYHMEP7NK5RWTT2WBSZ75CMARH7GDOHDDCQH3XANFOB';
const base64 = 'v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v78=';
/** The signed example of SEP-7, with the key that signed it. */
const signedExample = `web+stellar:pay?destination=${to}&amount=120.1234567&memo=skdjfasf&msg=pay%20me%20with%20lumens&origin_domain=someDomain.com`;
const exampleSignature =
  'JTlGMGzxUv90P2SWxUY9xo%2BLlbXaDloend6gkpyylY8X4bUNf6%2F9mFTMJs7JKqSDPRtejlK1kQvrsJfRZSJeAQ%3D%3D';
const exampleKey = Keypair.fromSecret('SBPOVRVKTTV7W3IOX2FJPSMPCJ5L2WU2YKTP3HCLYPXNI5MDIGREVNYC');

describe('a payment link', () => {
  it.each([
    [`destination=${to}`, { destination: to, amount: null, asset: 'XLM', memo: null, message: null }],
    [`destination=${muxed}&amount=0.0000001`, { destination: muxed, amount: '0.0000001' }],
    [`destination=${to}&asset_code=USD&asset_issuer=${issuer}`, { asset: `USD:${issuer}` }],
    [`destination=${to}&memo=caf%C3%A9+1`, { memo: { type: 'text', value: 'café+1' } }],
    [
      `destination=${to}&memo=18446744073709551615&memo_type=MEMO_ID`,
      { memo: { type: 'id', value: '18446744073709551615' } },
    ],
    [
      `destination=${to}&memo=${encodeURIComponent(base64)}&memo_type=MEMO_HASH`,
      { memo: { type: 'hash', value: 'bf'.repeat(32) } },
    ],
    [`destination=${to}&memo=${base64}&memo_type=MEMO_RETURN`, { memo: { type: 'return', value: 'bf'.repeat(32) } }],
    [`destination=${to}&msg=Two%20mugs%20%26%20a%20lantern`, { message: 'Two mugs & a lantern' }],
    [`destination=${to}`, { networkPassphrase: 'Public Global Stellar Network ; September 2015' }],
    [
      `destination=${to}&network_passphrase=Test%20SDF%20Network%20%3B%20September%202015`,
      { networkPassphrase: 'Test SDF Network ; September 2015' },
    ],
  ])('requests %s', (query, meaning) => {
    expect(readSep7Link(`web+stellar:pay?${query}`)).toMatchObject({ kind: 'pay', ...meaning });
  });

  it.each([
    'hello',
    to,
    `https://example.com/pay?destination=${to}`,
    'web+stellar:pay?amount=1',
    `web+stellar:pay?destination=${to.slice(0, -1)}A`,
    `web+stellar:pay?destination=${to}&amount=-1`,
    `web+stellar:pay?destination=${to}&amount=0.00`,
    `web+stellar:pay?destination=${to}&amount=1e3`,
    `web+stellar:pay?destination=${to}&amount=0.00000001`,
    `web+stellar:pay?destination=${to}&amount=1&amount=2`,
    `web+stellar:pay?destination=${to}&asset_code=USD`,
    `web+stellar:pay?destination=${to}&asset_code=USD%3A1&asset_issuer=${issuer}`,
    `web+stellar:pay?destination=${to}&memo=x&memo_type=MEMO_ID`,
    `web+stellar:pay?destination=${to}&memo=x&memo_type=MEMO_HASH`,
    `web+stellar:pay?destination=${to}&memo=${'x'.repeat(29)}`,
    `web+stellar:pay?destination=${to}&memo=x&memo_type=MEMO`,
    `web+stellar:pay?destination=${to}&msg=${'x'.repeat(301)}`,
    `web+stellar:pay?destination=${to}&msg=%E0%A4`,
    `web+stellar:pay?destination=${to}&callback=url%3Ahttps%3A%2F%2Fexample.com`,
    'web+stellar:tx?xdr=%3Cscript%3E',
    `web+stellar:send?destination=${to}`,
  ])('is refused with a message: %s', text => {
    expect(() => readSep7Link(text)).toThrow(LinkProblem);
  });

  it('names the fields of a transaction that the wallet fills in', () => {
    const replace = 'sourceAccount:X,operations[0].sourceAccount:Y;X:who pays,Y:who holds';
    const link = readSep7Link(`web+stellar:tx?xdr=AAAA&replace=${encodeURIComponent(replace)}&pubkey=${to}`);
    expect(link).toMatchObject({ kind: 'tx', xdr: 'AAAA', publicKey: to });
    expect(link).toMatchObject({ replace: ['sourceAccount', 'operations[0].sourceAccount'] });
  });
});

describe('the origin of a link', () => {
  const servers: Server[] = [];
  const key = Keypair.random();
  let domain = '';
  let silent = '';

  async function serve(toml: string | null): Promise<string> {
    const server = createServer((request, response) => {
      const isAsked = request.url === '/.well-known/stellar.toml' && toml !== null;
      response.writeHead(isAsked ? 200 : 404).end(isAsked ? toml : '');
    });
    servers.push(server);
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  beforeAll(async () => {
    const other = `[[CURRENCIES]]\nURI_REQUEST_SIGNING_KEY="${Keypair.random().publicKey()}"\n`;
    domain = await serve(`VERSION="2.0.0"\n  URI_REQUEST_SIGNING_KEY = "${key.publicKey()}" # ours\n${other}`);
    silent = await serve(null);
  });
  afterAll(() => {
    for (const server of servers) server.close();
  });

  function signature(text: string, by = key): string {
    const payload = Buffer.concat([
      Buffer.alloc(35),
      Buffer.from([4]),
      Buffer.from(`stellar.sep.7 - URI Scheme${text}`),
    ]);
    return encodeURIComponent(Buffer.from(by.sign(payload)).toString('base64'));
  }
  const from = (name: string) =>
    `web+stellar:pay?destination=${to}&amount=12&origin_domain=${encodeURIComponent(name)}`;
  const origin = (link: string) => checkOrigin(readSep7Link(link));

  it('verifies the example of SEP-7', () => {
    expect(signature(signedExample, exampleKey)).toBe(exampleSignature);
  });

  it('is shown when the domain’s key signed the link', async () => {
    const link = from(domain);
    expect(await origin(`${link}&signature=${signature(link)}`)).toEqual({ state: 'verified', domain });
  });

  it('is unsigned when the link names none', async () => {
    expect(await origin(`web+stellar:pay?destination=${to}`)).toEqual({ state: 'unsigned' });
  });

  it('is unknown when the domain does not answer', async () => {
    const link = from(silent);
    expect(await origin(`${link}&signature=${signature(link)}`)).toEqual({ state: 'unknown' });
  });

  it.each([
    ['another amount', (link: string) => `${link.replace('amount=12', 'amount=120')}&signature=${signature(link)}`],
    ['another key', (link: string) => `${link}&signature=${signature(link, Keypair.random())}`],
    ['no signature', (link: string) => link],
    ['no base64', (link: string) => `${link}&signature=%F0%9F%98%80`],
    ['more after the signature', (link: string) => `${link}&signature=${signature(link)}&msg=Pay%20me`],
    [
      'a signature without a domain',
      (link: string) => `web+stellar:pay?destination=${to}&signature=${signature(link)}`,
    ],
    ['no domain at all', () => `${from('a/../b')}&signature=${signature(from('a/../b'))}`],
  ])('is forged with %s', async (_case, alter) => {
    expect(await origin(alter(from(domain)))).toEqual({ state: 'forged' });
  });
});
