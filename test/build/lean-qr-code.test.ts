import { join } from 'node:path';
import fc from 'fast-check';
import jsqr from 'jsqr';
import qrcode from 'qrcode';
import { build, type Rolldown } from 'vite';
import { beforeAll, describe, expect, it } from 'vitest';
import { leanQrCode } from '../../src/build/plugins/lean-qr-code.ts';
import type { QrDrawing, QrErrorCorrection } from '../../src/element/controls/qr-code.ts';

const root = join(import.meta.dirname, '../..');

let drawQrCode: (text: string, errorCorrection: QrErrorCorrection) => QrDrawing;
beforeAll(async () => {
  const [built] = (await build({
    root,
    configFile: false,
    logLevel: 'warn',
    plugins: [leanQrCode()],
    resolve: { alias: { qrcode: 'qrcode/lib/core/qrcode.js' } },
    build: { lib: { entry: join(root, 'src/element/controls/qr-code.ts'), formats: ['es'] }, write: false },
  })) as Rolldown.RolldownOutput[];
  const code = Buffer.from(built?.output[0].code ?? '').toString('base64');
  ({ drawQrCode } = await import(`data:text/javascript;base64,${code}`));
});

/** The modules of a drawing, row by row, quiet zone included. */
function modulesOf({ path, size }: QrDrawing): boolean[] {
  const modules = new Array<boolean>(size * size).fill(false);
  for (const [, x, y, width] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g)) {
    modules.fill(true, Number(y) * size + Number(x), Number(y) * size + Number(x) + Number(width));
  }
  return modules;
}

/** The same modules, from the full library. */
function expectedOf(text: string, errorCorrectionLevel: QrErrorCorrection): boolean[] {
  const data = new TextEncoder().encode(text);
  const { modules } = qrcode.create([{ data, mode: 'byte' }], { errorCorrectionLevel });
  const size = modules.size + 8;
  return Array.from({ length: size * size }, (_, at) => {
    const [x, y] = [(at % size) - 4, Math.floor(at / size) - 4];
    const isInside = x >= 0 && y >= 0 && x < modules.size && y < modules.size;
    return isInside && modules.get(y, x) === 1;
  });
}

/** The text that a reader decodes from a drawing, each module three pixels wide. */
function read(drawing: QrDrawing): string | undefined {
  const modules = modulesOf(drawing);
  const width = drawing.size * 3;
  const pixels = new Uint8ClampedArray(width * width * 4).fill(255);
  for (let at = 0; at < width * width; at++) {
    const isDark = modules[Math.floor(at / width / 3) * drawing.size + Math.floor((at % width) / 3)];
    if (isDark) pixels.fill(0, at * 4, at * 4 + 3);
  }
  return jsqr.default(pixels, width, width)?.data;
}

const level = fc.constantFrom<QrErrorCorrection>('L', 'M');

describe('the QR codes of the checkout', () => {
  it('equal those of the full library, at every size', () => {
    for (const errorCorrection of ['L', 'M'] as const) {
      for (let length = 1; length < 2300; length += 61) {
        const text = 'web+stellar:pay?'.repeat(150).slice(0, length);
        expect(modulesOf(drawQrCode(text, errorCorrection)), `${length} ${errorCorrection}`).toEqual(
          expectedOf(text, errorCorrection),
        );
      }
    }
  });

  it('equal those of the full library, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }), level, (text, errorCorrection) => {
        expect(modulesOf(drawQrCode(text, errorCorrection))).toEqual(expectedOf(text, errorCorrection));
      }),
      { numRuns: 60 },
    );
  });

  it('are decoded to the encoded text', () => {
    const link = `web+stellar:pay?destination=MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAABUTGI4PZU&amount=139.2140000&asset_code=USDC&asset_issuer=GBEQ73RT2TYEFIGLUBSZCBMIEAE5KX5VLM7B4XNVD4Y5CGIRPVZ6TCLP&msg=Ordre%20n%C2%BA%201042&signature=${'Zk5zR2pXc1Z5'.repeat(8)}%3D%3D`;
    for (const text of ['A', link, 'BCD\n002\n1\nSCT\nSBOXLT20\nNordlys Søren\nLT601010012345678901\nEUR128.40']) {
      for (const errorCorrection of ['L', 'M'] as const) {
        expect(read(drawQrCode(text, errorCorrection))).toBe(text);
      }
    }
  });

  it('are refused for a text that is too long', () => {
    expect(() => drawQrCode('x'.repeat(3000), 'L')).toThrow('too big');
  });
});
