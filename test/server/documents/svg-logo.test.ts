import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { browserDir } from '../../support/built.ts';
import { colorsOf } from '../../support/read-pdf.ts';
import { startInvoiceLab } from '../invoices/invoice-lab.ts';
import { downloadFrom } from './download.ts';

let lab: Awaited<ReturnType<typeof startInvoiceLab>>;
const visits: string[] = [];
const outside = createServer((request, response) => {
  visits.push(request.url ?? '');
  response.end();
});
let address: string;
beforeAll(async () => {
  lab = await startInvoiceLab({ browserDir });
  await new Promise<void>(resolve => outside.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
});
afterAll(async () => {
  outside.close();
  await lab?.close();
});

const svg = (content: string, attributes = 'width="200" height="60"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${content}</svg>`;
const red = '<rect width="200" height="60" fill="#c81e5a"/>';
const dataUrl = (text: string | Buffer) => `data:image/svg+xml;base64,${Buffer.from(text).toString('base64')}`;
const change = (branding: object) => lab.request('PATCH /v1/account', { body: { branding } });
const pngOf = (url: string) => Buffer.from(url.replace('data:image/png;base64,', ''), 'base64');
const clear = '#00000000';
/** The most frequent colour of the picture, `#rrggbbaa`. */
async function colorOf(image: Buffer | string): Promise<string> {
  const data = await sharp(image).resize(40, null, { kernel: 'nearest' }).ensureAlpha().raw().toBuffer();
  const counts = new Map<string, number>();
  for (let at = 0; at < data.length; at += 4) {
    const color = `#${data.toString('hex', at, at + 4)}`;
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? '';
}

describe('an SVG logo', () => {
  it('is stored as a PNG, which pages, documents and posters show', async () => {
    const prolog =
      '<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">';
    const drawing =
      '<linearGradient id="g"><stop stop-color="#c81e5a"/></linearGradient><rect id="r" width="200" height="60" fill="url( #g )"/><use xlink:href="#r"/>';
    const { status, text, body } = await change({ logo: dataUrl(prolog + svg(drawing)), icon: dataUrl(svg(red)) });
    expect(status, text).toBe(200);
    const { logo, icon } = body.branding;
    for (const image of [logo, icon]) {
      expect(image).toMatch(/^data:image\/png;base64,/);
      const { format, width, height, hasAlpha } = await sharp(pngOf(image)).metadata();
      expect([format, width, height, hasAlpha]).toEqual(['png', 1200, 360, true]);
    }
    const invoice = await lab.sent();
    const path = new URL(invoice.hosted_invoice_url ?? '').pathname as `/${string}`;
    expect((await lab.request(`GET ${path}`, { key: null })).text).toContain(`src="${logo}"`);
    expect(await colorsOf(await downloadFrom(lab, `/v1/invoices/${invoice.id}/pdf`))).toContain('#c81e5a');
    const link = await lab.request('POST /v1/payment-links', { body: { amount: 500, currency: 'EUR' } });
    const poster = link.body.qr_code_url.replace(/qr\.svg$/, 'poster.pdf');
    expect(await colorsOf(await downloadFrom(lab, new URL(poster).pathname))).toContain('#c81e5a');
  });

  it('is stored without its SVG text', async () => {
    const { body } = await change({ logo: dataUrl(svg(`<title>Secret draft</title><desc>by Ada</desc>${red}`)) });
    expect(pngOf(body.branding.logo).toString('latin1')).not.toMatch(/Secret|Ada|svg/);
  });

  it.each([
    [
      'a style that calls the network by another spelling',
      '<style>@\\69mport url(#a); rect { fill: \\75rl(ADDRESS/x.svg#a) }</style>',
      clear,
    ],
    [
      'an animation, and unknown elements',
      '<set attributeName="fill" to="blue"/><audio/><x:y xmlns:x="urn:x" x:src="ADDRESS/a"/>',
      '#c81e5aff',
    ],
    ['a font of the web by name', '<text y="20" font-family="ADDRESS/font.woff">.</text>', '#c81e5aff'],
    [
      'parts within parts, a hundred deep',
      `${'<g opacity=".99">'.repeat(100)}<rect width="9" height="9"/>${'</g>'.repeat(100)}`,
      '#c81e5aff',
    ],
  ])('with %s is drawn without any network access', async (_, content, color) => {
    const { status, text, body } = await change({ logo: dataUrl(svg(red + content.replaceAll('ADDRESS', address))) });
    expect(status, text).toBe(200);
    expect([await colorOf(pngOf(body.branding.logo)), visits]).toEqual([color, []]);
  });

  it('with an external style in another notation is drawn without it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pay-logo-'));
    const style = join(folder, 'blue.css');
    await writeFile(style, 'rect { fill: #0000ff }');
    const text = svg(`<style>@\\69mport "${pathToFileURL(style)}";</style>${red}`);
    const file = join(folder, 'logo.svg');
    await writeFile(file, text);
    // Control: drawn from the file, the logo does load the style.
    expect(await colorOf(file)).toBe('#0000ffff');
    const { body } = await change({ logo: dataUrl(text) });
    expect(await colorOf(pngOf(body.branding.logo))).toBe('#c81e5aff');
    await rm(folder, { recursive: true });
  });

  const bomb = (link: string, levels: number, each: number) =>
    `<g id="a0">${red}</g>${Array.from({ length: levels }, (_, level) => `<g id="a${level + 1}">${`<use ${link}="#a${level}"/>`.repeat(each)}</g>`).join('')}`;
  const endless = `<filter id="f"><feTurbulence numOctaves="9999999" baseFrequency=".1"/></filter>${'<rect width="200" height="60" filter="url(#f)"/>'.repeat(200)}`;
  const other = 'refers to something outside';
  it.each<[string, string | (() => string) | Buffer, string]>([
    ['a script', svg(`<script>alert(1)</script>${red}`), 'contains a script'],
    ['a script with a prefix', svg(`<s:script xmlns:s="http://www.w3.org/2000/svg">x</s:script>`), 'contains a script'],
    ['a handler', svg(`<rect width="9" height="9" onclick="alert(1)"/>`), 'contains a script'],
    ['a page inside', svg('<foreignObject><iframe src="x"/></foreignObject>'), 'another document'],
    ['a picture on the web', () => svg(`<image href="${address}/a.png"/>`), 'embeds a picture'],
    ['a picture of its own', svg('<image xlink:href="data:image/png;base64,AAAA"/>'), 'embeds a picture'],
    [
      'an image after a malformed comment',
      svg('<![CDATA[<!--]]><image href="#a"/><![CDATA[-->]]>'),
      'embeds a picture',
    ],
    ['parts of a file', svg('<use href="file:///etc/passwd#a"/>'), other],
    ['parts on the web', () => svg(`<use xlink:href = '${address}/a.svg#a'/>`), other],
    ['an address in other letters', svg('<use href="&#104;ttp://x/a.svg#a"/>'), other],
    ['a colour on the web', () => svg(`<rect fill="url( '${address}/a.svg#a')"/>`), other],
    ['a style of the web', () => svg(`<style>@import "${address}/a.css";</style>`), other],
    ['a style sheet of the web', () => `<?xml-stylesheet href="${address}/a.css"?>${svg(red)}`, other],
    ['another place to stand', () => svg(`<g xml:base="${address}/">${red}</g>`), other],
    [
      'entities that grow',
      `<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>${svg('<text>&b;</text>')}`,
      'declares entities',
    ],
    [
      'an entity of a file',
      `<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>${svg('<text>&a;</text>')}`,
      'declares entities',
    ],
    [
      'a document type after a forged end of one',
      `<!DOCTYPE svg SYSTEM "a>" [<!ATTLIST rect fill CDATA "#00f">]>${svg('<rect width="200" height="60"/>')}`,
      'declares entities',
    ],
    ['a link by another spelling', svg(`${red}<use href="#a" XLINK:HREF="#b"/>`), 'cannot be drawn'],
    ['another encoding', Buffer.from(svg(red), 'utf16le'), 'in UTF-8'],
    ['an encoding it only claims', `<?xml version="1.0" encoding="UTF-7"?>${svg(red)}`, 'in UTF-8'],
    ['a PNG inside', Buffer.from('89504e470d0a1a0a', 'hex'), 'in UTF-8'],
    ['no drawing', '<svg />', 'cannot be drawn'],
    ['half of an SVG', svg(red).slice(0, -8), 'cannot be drawn'],
    ['a size out of all bounds', svg(red, 'width="100000" height="100000"'), 'cannot be drawn'],
    ['no size', svg(red, 'width="0" height="0"'), 'cannot be drawn'],
    ['parts within parts without end', svg('<g opacity=".5">'.repeat(12_000)), 'cannot be drawn'],
    ['a pattern larger than memory', svg('<pattern id="p" width="5000" height="5000"/>'), 'pattern'],
    ['a thousand filters', svg(`<filter id="f">${'<feFlood/>'.repeat(1000)}</filter>`), 'filter steps'],
    ['parts of parts that grow', svg(bomb('href', 9, 10)), 'takes too long'],
    ['a filter without end', svg(endless), 'takes too long'],
  ])('with %s is refused by that name, and the old one stays', async (_, content, message) => {
    const before = (await lab.request('GET /v1/account')).text;
    const logo = dataUrl(typeof content === 'function' ? content() : content);
    const answer = await change({ logo });
    expect(visits).toEqual([]);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_logo', param: 'branding.logo' } } });
    expect(answer.body.error.message).toMatch(/^branding\.logo /);
    expect(answer.body.error.message).toContain(message);
    expect((await lab.request('GET /v1/account')).text).toBe(before);
  });

  it('is checked in linear time for any number of document types', async () => {
    const started = process.cpuUsage();
    const { status, body } = await change({ logo: dataUrl('<!DOCTYPE'.repeat(23_000) + svg(red)) });
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1e6).toBeLessThan(1);
    expect([status, body.error?.message]).toEqual([400, expect.stringContaining('its own document type')]);
  });

  it('ends at its time limit when the service that started it is gone', async () => {
    const program = join(import.meta.dirname, '../../../src/server/merchants/svg-process.ts');
    const child = spawn(process.execPath, [program, '0.5'], { stdio: ['pipe', 'ignore', 'ignore'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    child.stdin.end(svg(endless));
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  });

  it.each([
    [400, 'invalid_logo', 'four hundred thousand characters', 400_000],
    [413, 'body_too_large', 'two megabytes', 2_000_000],
  ])('is refused (%i %s) with %s', async (status, code, _, size) => {
    const { status: seen, body } = await change({ logo: dataUrl(svg(`${red}<!--${' '.repeat(size)}-->`)) });
    expect([seen, body.error.code]).toEqual([status, code]);
  });

  it('that is too large to draw is refused', async () => {
    const noise =
      '<filter id="f"><feTurbulence baseFrequency=".9"/></filter><rect width="200" height="60" filter="url(#f)"/>';
    const { status, body } = await change({ icon: dataUrl(svg(noise)) });
    expect([status, body.error]).toMatchObject([400, { param: 'branding.icon', code: 'invalid_logo' }]);
    expect(body.error.message).toContain('too complex');
  });

  it('is drawn again when the machine can start processes again', async () => {
    const { execPath } = process;
    process.execPath = join(execPath, 'gone');
    const starved = await change({ logo: dataUrl(svg(red)) }).finally(() => {
      process.execPath = execPath;
    });
    expect([starved.status, starved.body.error.code]).toEqual([503, 'unavailable']);
    expect((await change({ logo: dataUrl(svg(red)) })).status).toBe(200);
  });

  it('waits for its turn, in a queue of limited length', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => change({ logo: dataUrl(svg(red)) })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(8).fill(200), ...Array(4).fill(503)]);
    const busy = answers.find(({ status }) => status === 503);
    expect([busy?.body.error.code, busy?.headers['retry-after']]).toEqual(['unavailable', '5']);
  });
});
