import fc from 'fast-check';
import jsqr from 'jsqr';
import { describe, expect, it } from 'vitest';
import { qrPng, qrSvg } from '../../../src/server/documents/documents.ts';

async function read(picture: Buffer, side?: number): Promise<string | undefined> {
  const { default: sharp } = await import('sharp');
  const image = side === undefined ? sharp(picture) : sharp(picture).resize(side);
  const { data, info } = await image
    .flatten({ background: '#fff' })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return jsqr.default(new Uint8ClampedArray(data), info.width, info.height)?.data;
}

const texts = [
  'https://pay.example.com/l/plink_0123456789abcdef',
  'Grüße\nin zwei Zeilen',
  '日本語 🎉',
  '<svg onload="alert(1)">&"\'',
  'x'.repeat(600),
];

describe('QR codes', () => {
  it.each(texts)('as SVG contain %s, with the quiet zone', async text => {
    const svg = qrSvg(text);
    expect(svg).toMatch(
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 (\d+) \1"[^<>]*><path fill="#fff" d="[^"<>]*"\/><path d="[^"<>]*"\/><\/svg>$/,
    );
    expect(await read(Buffer.from(svg), 800)).toBe(text);
  });

  it.each([200, 512, 1000, 2400])('as PNG are exactly %d pixels wide', async pixels => {
    const { default: sharp } = await import('sharp');
    const png = await qrPng(texts[0] ?? '', pixels);
    const { width, height, format } = await sharp(png).metadata();
    expect([width, height, format]).toEqual([pixels, pixels, 'png']);
    expect(await read(png, Math.min(pixels, 1000))).toBe(texts[0]);
  });

  it('as PNG need at least a pixel for each module', async () => {
    await expect(qrPng('x', 20)).rejects.toThrow(RangeError);
  });

  it('encode any payment link’s URL', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 120 }), async text => {
        expect(await read(Buffer.from(qrSvg(text)), 700)).toBe(text);
      }),
      { numRuns: 15 },
    );
  });
});
