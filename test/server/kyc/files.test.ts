import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Kyc, KycFile } from '../../../src/api/kyc/kyc.ts';
import { createKeyRing } from '../../../src/server/platform/key-ring.ts';
import { readConfig } from '../../../src/server/settings/config.ts';
import { startTestApp, type TestAnswer, type TestApp } from '../../support/app.ts';
import { refusal } from '../payments/payment-lab.ts';
import { owner } from '../people/visitor.ts';
import { ada, adaStandard, type KycLab, startKycLab } from './kyc-lab.ts';
import { pdf, pdfWithObjects, photo, pngHeader } from './sample-files.ts';

let lab: KycLab;
beforeAll(async () => {
  lab = await startKycLab();
});
afterAll(() => lab.close());

type Fields = Readonly<Record<string, string | Buffer>>;

/** `PUT /v1/customers/:id/kyc` with a form. Each file claims to be a JPEG. */
async function send(customer: string, fields: Fields, app: Pick<TestApp, 'request'> = lab): Promise<TestAnswer> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([new Uint8Array(value)], { type: 'image/jpeg' }), 'passport.jpg');
  }
  const encoded = new Response(form);
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '' };
  const body = Buffer.from(await encoded.arrayBuffer());
  return await app.request(`PUT /v1/customers/${customer}/kyc`, { headers, body });
}

const list = async (customer: string): Promise<KycFile[]> =>
  (await lab.request(`GET /v1/customers/${customer}/kyc/files`)).body.data;
const look = (customer: string, file: string, app: Pick<TestApp, 'request'> = lab) =>
  app.request(`GET /v1/customers/${customer}/kyc/files/${file}`);
const needed = ({ fields }: Kyc) => fields.filter(({ status }) => status === 'needed').map(({ name }) => name);
const upload = async (customer: string, fields: Fields) => {
  const answer = await send(customer, fields);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as Kyc;
};

describe('a file of an identity check', () => {
  it.each(['jpeg', 'png', 'webp'] as const)(
    'of type %s is kept without metadata, and is an attachment',
    async format => {
      const customer = await lab.customer();
      const sent = await photo(format);
      expect(sent.includes('SECRET')).toBe(true);
      await upload(customer, { photo_id_front: sent });
      const [file] = await list(customer);
      expect(file).toMatchObject({ object: 'kyc_file', customer, field: 'photo_id_front', type: `image/${format}` });
      const { status, headers, bytes } = await look(customer, file?.id ?? '');
      expect([status, headers]).toMatchObject([
        200,
        {
          'content-type': `image/${format}`,
          'content-disposition': `attachment; filename="photo_id_front.${format === 'jpeg' ? 'jpg' : format}"`,
          'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
          'x-content-type-options': 'nosniff',
          'cache-control': 'no-store',
        },
      ]);
      const digest = createHash('sha256').update(bytes).digest('hex');
      expect([bytes.length, digest]).toEqual([file?.size, file?.sha256]);
      expect(['SECRET', 'Exif', 'xmpmeta', 'GPS'].filter(word => bytes.includes(word))).toEqual([]);
      expect(await sharp(bytes).metadata()).toMatchObject({ format, width: 40, height: 20 });
    },
  );

  it('is turned upright before its metadata is removed', async () => {
    const customer = await lab.customer();
    const sent = await sharp(await photo('jpeg'))
      .withMetadata({ orientation: 6 })
      .toBuffer();
    await upload(customer, { photo_id_front: sent });
    const { bytes } = await look(customer, (await list(customer))[0]?.id ?? '');
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 20, height: 40 });
  });

  it('is encrypted in the database, and comes back byte by byte', async () => {
    const customer = await lab.customer();
    const sent = pdf('% PLAIN-MARKER-4711');
    await upload(customer, { photo_proof_residence: sent });
    const [file] = await list(customer);
    const { bytes, headers } = await look(customer, file?.id ?? '');
    expect([bytes.equals(sent), headers['content-type']]).toEqual([true, 'application/pdf']);
    const { rows } = await lab.database.pool.query(
      `select position('PLAIN-MARKER'::bytea in sealed) as at, length(sealed) as size from kyc_files where id = $1`,
      [file?.id],
    );
    expect(rows).toEqual([{ at: 0, size: sent.length + 28 }]);
  });

  it('counts as its field, with texts of the same form, and a new one ends an approval', async () => {
    const customer = await lab.customer();
    const texts = {
      ...ada,
      ...adaStandard,
      birth_country_code: 'GBR',
      occupation: '2512',
      tax_id: '1',
      tax_id_name: 'NI',
    };
    const front = await photo('jpeg');
    const first = await upload(customer, { ...texts, tier: 'enhanced', photo_id_front: front });
    expect([first.status, needed(first)]).toEqual(['incomplete', ['photo_proof_residence']]);
    expect((await upload(customer, { photo_proof_residence: pdf() })).status).toBe('under_review');
    await lab.sweep('kyc.checks');
    expect(await lab.kyc(customer)).toMatchObject({ status: 'approved', tier: 'enhanced' });
    const files = await list(customer);
    expect((await upload(customer, { photo_id_front: front })).status).toBe('approved');
    expect(await list(customer)).toEqual(files);
    expect(await upload(customer, { photo_id_front: await photo('png') })).toMatchObject({
      status: 'under_review',
      tier: null,
    });
    expect((await list(customer)).map(({ field, type }) => [field, type])).toEqual([
      ['photo_id_front', 'image/png'],
      ['photo_proof_residence', 'application/pdf'],
    ]);
  });

  it('is deleted by its id, and its field is needed again', async () => {
    const customer = await lab.customer();
    await upload(customer, { tier: 'enhanced', photo_id_front: await photo('jpeg') });
    const [file] = await list(customer);
    const call = `DELETE /v1/customers/${customer}/kyc/files/${file?.id}` as const;
    expect(needed((await lab.request(call)).body)).toContain('photo_id_front');
    expect([await list(customer), (await lab.request(call)).status]).toEqual([[], 404]);
  });

  it('is unknown to other customers, merchants and keys without the scope', async () => {
    const customer = await lab.customer();
    await upload(customer, { photo_id_front: await photo('jpeg') });
    const [{ id } = { id: '' }] = await list(customer);
    const { secretKey: key } = await lab.addMerchant();
    const reader = await lab.addKey(lab.merchant.id, 'secret', { scopes: ['kyc:read'] });
    const path = `/v1/customers/${customer}/kyc/files` as const;
    expect((await look(await lab.customer(), id)).status).toBe(404);
    expect((await lab.request(`GET ${path}`, { key })).status).toBe(404);
    expect((await lab.request(`GET ${path}/${id}`, { key })).status).toBe(404);
    expect((await lab.request(`GET ${path}/${id}`, { key: reader })).status).toBe(403);
    expect((await lab.request(`GET ${path}`, { key: reader })).body.data).toMatchObject([{ id }]);
  });

  it('is in the audit log with each look of a person', async () => {
    const customer = await lab.customer();
    await upload(customer, { photo_id_front: await photo('jpeg') });
    const [{ id } = { id: '' }] = await list(customer);
    const staff = await owner(lab);
    const path = `/v1/customers/${customer}/kyc/files/${id}` as const;
    expect((await staff.send(`GET ${path}`)).status).toBe(200);
    const { data } = (await staff.send('GET /v1/audit-log?limit=100')).body;
    const own = data.filter((entry: { path: string }) => entry.path.includes(customer));
    expect(own).toMatchObject([{ action: 'Look at a file of an identity check', path, status: 200 }]);
  });
});

describe('a file that is refused', () => {
  const jpeg = () => photo('jpeg');
  it.each<[string, () => Buffer | Promise<Buffer>, RegExp]>([
    ['a program named .jpg', () => Buffer.from('MZ\x90\0\x03'.padEnd(200), 'latin1'), /not a JPEG/],
    ['a script', () => Buffer.from('#!/bin/sh\nrm -rf ~\n'), /not a JPEG/],
    ['an SVG', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'), /not a JPEG/],
    [
      'an SVG after the start of a JPEG',
      () => Buffer.from('\xff\xd8\xff\xe0<svg><script/></svg>', 'latin1'),
      /not a JPEG/,
    ],
    ['100 megapixels', () => pngHeader(10_000, 10_000), /10000 × 10000 pixels/],
    ['an image without pixels', () => pngHeader(0, 10), /without pixels/],
    ['the header of an image alone', () => pngHeader(10, 10), /damaged PNG/],
    ['half an image', async () => (await jpeg()).subarray(0, 400), /JPEG/],
    ['11 MB', async () => Buffer.concat([await jpeg(), Buffer.alloc(11_000_000)]), /larger than 10 MiB/],
    ['nothing', () => Buffer.alloc(0), /empty/],
    ['a PDF without its end', () => pdf().subarray(0, 40), /damaged PDF/],
    ['a PDF with JavaScript', () => pdf('4 0 obj\n<</S/JavaScript/JS(app.alert(1))>>\nendobj'), /JavaScript/],
    ['a PDF with a disguised name', () => pdf('4 0 obj\n<</S /J#61va#53cript /JS(1)>>\nendobj'), /JavaScript/],
    ['a PDF that starts a program', () => pdf('4 0 obj\n<</S/Launch/F(cmd.exe)>>\nendobj'), /starts programs/],
    ['a PDF with a file', () => pdf('4 0 obj\n<</Type/EmbeddedFile>>\nendobj'), /embedded files/],
    ['an encrypted PDF', () => pdf('trailer\n<</Encrypt 5 0 R>>'), /encrypted/],
    ['a PDF with compressed JavaScript', () => pdfWithObjects('4 0 <</S/JavaScript/JS(1)>>'), /JavaScript/],
    ['a PDF with a bomb', () => pdfWithObjects('4 0 '.padEnd(40_000_000)), /unusual form/],
    [
      'a PDF with another filter',
      () => pdfWithObjects('4 0 <<>>', '/Type/ObjStm/N 1/First 4/Filter[/ASCIIHexDecode/FlateDecode]'),
      /unusual form/,
    ],
  ])('is %s', async (_name, make, message) => {
    const customer = await lab.customer();
    const answer = await send(customer, { photo_id_front: await make() });
    expect(refusal(answer)).toEqual([400, 'unsupported_file', 'photo_id_front']);
    expect(answer.body.error.message).toMatch(message);
    expect([await list(customer), (await lab.kyc(customer)).status]).toEqual([[], 'not_started']);
  });

  it('takes a PDF with compressed objects that do nothing', async () => {
    const customer = await lab.customer();
    await upload(customer, { photo_id_front: pdfWithObjects('4 0 <</Type/Page>>') });
  });

  it('drops what follows an image, such as a page with scripts', async () => {
    const customer = await lab.customer();
    await upload(customer, { photo_id_front: Buffer.concat([await jpeg(), Buffer.from('<html><script>1</script>')]) });
    const { bytes } = await look(customer, (await list(customer))[0]?.id ?? '');
    expect(bytes.includes('<script>')).toBe(false);
  });
});

describe('a form that is refused', () => {
  it.each<[string, Fields, number, string, string | null]>([
    ['a file in a field of text', { first_name: pdf() }, 400, 'parameter_invalid', 'first_name'],
    ['a file in an unknown field', { selfie: pdf() }, 400, 'parameter_unknown', 'selfie'],
    ['a text in a field of files', { photo_id_back: 'none' }, 400, 'parameter_unknown', 'photo_id_back'],
    [
      'a file of the other type',
      { 'organization.photo_proof_address': pdf() },
      400,
      'parameter_invalid',
      'organization.photo_proof_address',
    ],
    ['a wrong text', { birth_date: 'yesterday', photo_id_front: pdf() }, 400, 'parameter_invalid', 'birth_date'],
    ['a NUL character', { first_name: 'A\0da' }, 400, 'malformed_request', null],
  ])('has %s', async (_name, fields, status, code, param) => {
    const customer = await lab.customer();
    expect(refusal(await send(customer, fields))).toEqual([status, code, param]);
    expect(await list(customer)).toEqual([]);
  });

  const field = '--x\r\nContent-Disposition: form-data; name="city"\r\n\r\nLeeds\r\n';
  const named = Array.from({ length: 120 }, (_, index) => field.replace('city', `field${index}`));

  it('is none with an empty file input of a browser', async () => {
    const customer = await lab.customer();
    const input = '--x\r\nContent-Disposition: form-data; name="photo_id_front"; filename=""\r\n\r\n\r\n';
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const body = Buffer.from(`${input}${field}--x--\r\n`);
    expect((await lab.request(`PUT /v1/customers/${customer}/kyc`, { headers, body })).status).toBe(200);
    expect(await list(customer)).toEqual([]);
  });

  it.each<[string, string, string | Buffer]>([
    ['has no boundary', 'multipart/form-data', '--x\r\n'],
    ['is cut off', 'multipart/form-data; boundary=x', '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb'],
    ['has another boundary', 'multipart/form-data; boundary=x', '--y--\r\n'],
    ['has a field without a name', 'multipart/form-data; boundary=x', '--x\r\nA: b\r\n\r\nc\r\n--x--\r\n'],
    ['has a field twice', 'multipart/form-data; boundary=x', `${field.repeat(2)}--x--\r\n`],
    [
      'has bytes that are not UTF-8',
      'multipart/form-data; boundary="x"',
      Buffer.from(`${field.replace('Leeds', '\xff')}--x--`, 'latin1'),
    ],
    ['has too many fields', 'multipart/form-data; boundary=x', named.join('')],
  ])('%s', async (_name, type, body) => {
    const call = `PUT /v1/customers/${await lab.customer()}/kyc` as const;
    const answer = await lab.request(call, { headers: { 'content-type': type }, body: Buffer.from(body as string) });
    expect(refusal(answer)).toEqual([400, 'malformed_request', null]);
  });
});

describe('keys of files', () => {
  it.each([
    ['k1', 'takes keys like'],
    ['k1:c2hvcnQ=', 'takes keys like'],
    [`server:${'1'.repeat(43)}=`, 'takes keys like'],
    [`k1:${'1'.repeat(43)}=,k1:${'2'.repeat(43)}=`, 'has two keys with the same name'],
  ])('refuse the setting %s', (text, message) => {
    expect(() => readConfig({ PAY_KYC_KEYS: text })).toThrow(`PAY_KYC_KEYS: ${message}`);
  });

  it('are needed on the public network', () => {
    expect(() => createKeyRing([], 'PAY_KYC_KEYS').seal(pdf(), '')).toThrow('Its operator sets PAY_KYC_KEYS');
  });

  it('rotate: new files use the newest, old files stay readable, and a missing key is named', async () => {
    const [first, second] = ['1'.repeat(43), '2'.repeat(43)].map(text => `${text}=`);
    const started = async (keys: string) => startTestApp({ beside: lab, settings: { PAY_KYC_KEYS: keys } });
    const [old, rotated] = [await started(`k1:${first}`), await started(`k2:${second}, k1:${first}`)];
    const customer = await lab.customer();
    const uploads = [
      [lab, 'photo_id_front'],
      [old, 'photo_id_back'],
      [rotated, 'photo_proof_residence'],
    ] as const;
    for (const [app, field] of uploads) expect((await send(customer, { [field]: pdf(field) }, app)).status).toBe(200);
    const files = new Map((await list(customer)).map(({ field, id }) => [field, id]));
    const read = async (app: Pick<TestApp, 'request'>) =>
      await Promise.all(uploads.map(async ([, field]) => (await look(customer, files.get(field) ?? '', app)).status));
    expect([await read(lab), await read(old), await read(rotated)]).toEqual([
      [200, 503, 503],
      [200, 200, 503],
      [200, 200, 200],
    ]);
    const missing = await look(customer, files.get('photo_proof_residence') ?? '', old);
    expect(refusal(missing)).toEqual([503, 'unavailable', null]);
    expect(missing.body.error.message).toContain('the key k2, which PAY_KYC_KEYS lacks');
    await Promise.all([old.close(), rotated.close()]);
  });
});
