import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';

let shop: TestApp;
beforeAll(async () => {
  shop = await startTestApp();
});
afterAll(() => shop?.close());

const change = (body: object) => shop.request('PATCH /v1/account', { body });

/** A PNG whose header states this size. */
function png(width: number, height: number): string {
  const chunk = (type: string, data: Buffer) => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(data.length);
    head.write(type, 4, 'latin1');
    return Buffer.concat([head, data, Buffer.alloc(4)]);
  };
  const size = Buffer.alloc(13);
  size.writeUInt32BE(width);
  size.writeUInt32BE(height, 4);
  const parts = [chunk('IHDR', size), chunk('IDAT', deflateSync(Buffer.alloc(4))), chunk('IEND', Buffer.alloc(0))];
  const bytes = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts]);
  return `data:image/png;base64,${bytes.toString('base64')}`;
}

describe('the account', () => {
  it('is read and changed, field by field', async () => {
    const { status, body } = await change({
      name: ' Blue Bottle ',
      support_email: 'help@shop.example',
      support_url: 'https://shop.example/help',
      branding: { primary_color: '#2f5bea', logo: png(200, 80), icon: 'https://cdn.shop.example/icon.png' },
      settlement: { asset: 'EURC', stellar_address: 'GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7' },
      allowed_origins: ['https://shop.example', 'https://shop.example/', 'http://localhost:5173'],
      redirect_origins: ['https://shop.example:8443'],
      client_amounts: true,
      tolerance: { percent: 1.25, units: 5 },
      quote_seconds: 600,
      session_seconds: 7200,
      locale: 'pt-BR',
      receipts: true,
      timezone: 'America/Sao_Paulo',
      address: { line1: 'Rua Augusta 1', postal_code: '01304-000', city: 'São Paulo', country: 'br', state: ' ' },
      tax_id: 'BR12345678000195',
      bank_account: { iban: 'de89 3704 0044 0532 0130 00', bic: 'cobadeff' },
      invoice_prefix: 'BB-2026',
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      object: 'account',
      name: 'Blue Bottle',
      branding: { primary_color: '#2f5bea', background_color: null, font: 'system' },
      settlement: { asset: 'EURC' },
      allowed_origins: ['https://shop.example', 'http://localhost:5173'],
      tolerance: { percent: 1.25, units: 5 },
      quote_seconds: 600,
      receipts: true,
      timezone: 'America/Sao_Paulo',
      address: { line1: 'Rua Augusta 1', postal_code: '01304-000', city: 'São Paulo', country: 'BR' },
      tax_id: 'BR12345678000195',
      bank_account: { iban: 'DE89370400440532013000', bic: 'COBADEFF' },
      invoice_prefix: 'BB-2026',
      livemode: false,
    });
    const again = await change({ branding: { font: 'serif' }, support_url: null });
    expect(again.body.branding).toMatchObject({ font: 'serif', primary_color: '#2f5bea' });
    expect(again.body.support_url).toBeNull();
    expect((await shop.request('GET /v1/account')).body).toEqual(again.body);
  });

  it.each<[string, object, string, string]>([
    [
      'a colour with CSS behind it',
      { branding: { primary_color: 'red;}*{background:url(//evil)' } },
      'invalid_color',
      'branding.primary_color',
    ],
    ['a named colour', { branding: { background_color: 'red' } }, 'invalid_color', 'branding.background_color'],
    [
      'an SVG with a script',
      { branding: { logo: `data:image/svg+xml;base64,${Buffer.from('<svg onload="x"/>').toString('base64')}` } },
      'invalid_logo',
      'branding.logo',
    ],
    [
      'an SVG that calls itself PNG',
      {
        branding: {
          logo: `data:image/png;base64,${Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"></svg>').toString('base64')}`,
        },
      },
      'invalid_logo',
      'branding.logo',
    ],
    [
      'an image of 10,000 × 10,000 pixels',
      { branding: { logo: png(10_000, 10_000) } },
      'invalid_logo',
      'branding.logo',
    ],
    [
      'an image on a link-local address',
      { branding: { logo: 'https://169.254.169.254/logo.png' } },
      'invalid_logo',
      'branding.logo',
    ],
    ['an image on an IPv6 address', { branding: { icon: 'https://[::1]/icon.png' } }, 'invalid_logo', 'branding.icon'],
    ['an unknown time zone', { timezone: 'Europe/Atlantis' }, 'parameter_invalid', 'timezone'],
    ['an offset for a time zone', { timezone: '+02:00' }, 'parameter_invalid', 'timezone'],
    [
      'an IBAN with a wrong digit',
      { bank_account: { iban: 'DE88370400440532013000' } },
      'parameter_invalid',
      'bank_account.iban',
    ],
    [
      'a BIC that is too short',
      { bank_account: { iban: 'DE89370400440532013000', bic: 'COBA' } },
      'parameter_invalid',
      'bank_account.bic',
    ],
    ['the prefix of credit notes', { invoice_prefix: 'CN' }, 'parameter_invalid', 'invoice_prefix'],
    ['a prefix with blanks', { invoice_prefix: 'A B' }, 'parameter_invalid', 'invoice_prefix'],
    ['an invalid locale', { locale: 'xx-yy-zz' }, 'parameter_invalid', 'locale'],
    ['an image on this machine', { branding: { icon: 'https://localhost/icon.png' } }, 'invalid_logo', 'branding.icon'],
    [
      'an image over plain http',
      { branding: { logo: 'http://shop.example/logo.png' } },
      'invalid_logo',
      'branding.logo',
    ],
    ['an SVG on the web', { branding: { logo: 'https://shop.example/logo.svg' } }, 'invalid_logo', 'branding.logo'],
    ['a JavaScript URL', { branding: { logo: 'javascript:alert(1)' } }, 'invalid_logo', 'branding.logo'],
    ['a wildcard origin', { allowed_origins: ['*'] }, 'invalid_origin', 'allowed_origins[0]'],
    ...(
      [
        ...['https://*.shop.example', 'https://*', 'https://shop.*', 'https://shop.example:*', 'https:', 'self'],
        ...["'self'", 'https://shop.example;script-src', 'https://a;b', "https://a'b", 'https://a,b', 'https://a_b'],
        ...['https://shop.example.', 'https://a!b', 'https://(a)', 'https://a$b.example', 'https://shop.example,'],
      ] as const
    ).map(
      origin =>
        [`the origin ${origin}`, { allowed_origins: [origin] }, 'invalid_origin', 'allowed_origins[0]'] as [
          string,
          object,
          string,
          string,
        ],
    ),
    [
      'an origin with a path',
      { allowed_origins: ['https://a.example', 'https://shop.example/pay'] },
      'invalid_origin',
      'allowed_origins[1]',
    ],
    [
      'an origin over plain http',
      { redirect_origins: ['http://shop.example'] },
      'invalid_origin',
      'redirect_origins[0]',
    ],
    ['an origin with a user', { allowed_origins: ['https://a@shop.example'] }, 'invalid_origin', 'allowed_origins[0]'],
    ['a null origin', { allowed_origins: ['null'] }, 'invalid_origin', 'allowed_origins[0]'],
    [
      'an invalid Stellar address',
      { settlement: { stellar_address: 'GAAAA' } },
      'invalid_address',
      'settlement.stellar_address',
    ],
    ['an unknown asset', { settlement: { asset: 'DOGE' } }, 'invalid_asset', 'settlement.asset'],
    ['an invalid e-mail address', { support_email: 'help' }, 'invalid_email', 'support_email'],
    ['a support URL that is not http or https', { support_url: 'javascript:x' }, 'parameter_invalid', 'support_url'],
    ['a tolerance finer than a hundredth', { tolerance: { percent: 0.125 } }, 'parameter_invalid', 'tolerance.percent'],
    ['a blank name', { name: '  ' }, 'parameter_invalid', 'name'],
    ['an unknown field', { admin: true }, 'parameter_unknown', 'admin'],
  ])('refuses %s', async (_, body, code, param) => {
    const before = (await shop.request('GET /v1/account')).text;
    const answer = await change(body);
    expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([400, code, param]);
    expect((await shop.request('GET /v1/account')).text).toBe(before);
  });

  it('accepts JPEG and WebP as well, recognized by their bytes', async () => {
    const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0000b080010001001011100', 'hex');
    const filled = Buffer.from(jpeg.toString('hex').replace('ffc0', 'ffffffc0'), 'hex');
    const webp = Buffer.concat([
      Buffer.from('RIFF\0\0\0\0WEBPVP8X', 'latin1'),
      Buffer.from('0a000000000000003f00001f0000', 'hex'),
    ]);
    const given = {
      logo: `data:image/jpeg;base64,${jpeg.toString('base64')}`,
      icon: `data:image/webp;base64,${webp.toString('base64')}`,
    };
    const { status, body } = await change({ branding: given });
    expect([status, body.branding.logo, body.branding.icon]).toEqual([200, given.logo, given.icon]);
    const withFillBytes = `data:image/jpeg;base64,${filled.toString('base64')}`;
    expect((await change({ branding: { logo: withFillBytes } })).body.branding?.logo).toBe(withFillBytes);
    const swapped = await change({ branding: { logo: given.logo.replace('jpeg', 'webp') } });
    expect(swapped.body.error.code).toBe('invalid_logo');
  });
});
