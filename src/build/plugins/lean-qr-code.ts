import type { Plugin } from 'vite';

/**
 * Reduces the package `qrcode` to what the element uses. `controls/qr-code.ts` encodes bytes, at the levels L and M, in
 * the smallest version that fits. The package also splits texts into digits, letters and kanji, reads options, and
 * knows the levels Q and H. Without these features the QR code's chunk is 3.1 kB instead of 6.5 kB (brotli), so the
 * crypto tab stays within 9 kB. `test/build/lean-qr-code.test.ts` compares the codes with those of the whole package.
 *
 * `replacements` replaces whole files. `cuts` removes parts of files. `asModule` converts the rest to ES modules, so
 * that the bundler can drop unused code. The build fails for a version of `qrcode` with another structure.
 */

/**
 * Replaced files. Bytes that each replacement saves: mode 320, version 220, error-correction-level 150, utils 90. The
 * original `segments` would also import the encoders of other modes.
 */
const replacements: Readonly<Record<string, string>> = {
  segments: `import Bytes from './byte-data'; export const fromArray = parts => parts.map(({ data }) => new Bytes(data));`,
  mode: 'export const BYTE = { bit: 4 }; export const getCharCountIndicator = (mode, version) => version < 10 ? 8 : 16;',
  'error-correction-level': 'export const L = { bit: 1 }; export const M = { bit: 0 };',
  utils: `
    export const getSymbolSize = version => 4 * version + 17;
    export const getSymbolTotalCodewords = version => {
      const lines = version > 1 ? (version / 7 | 0) + 2 : 0;
      const patterns = lines && (25 * lines - 10) * lines - 55 + (version > 6 ? 36 : 0);
      return ((16 * version + 128) * version + 64 - patterns) >> 3;
    };
    export const getBCHDigit = data => 32 - Math.clz32(data);`,
  version: `
    import { getSymbolTotalCodewords, getBCHDigit } from './utils';
    import { getTotalCodewordsCount } from './error-correction-code';
    export const getBestVersionForData = ([bytes], level) => {
      for (let version = 1; version <= 40; version++) {
        const bits = 8 * (getSymbolTotalCodewords(version) - getTotalCodewordsCount(version, level));
        if (4 + (version < 10 ? 8 : 16) + bytes.getBitsLength() <= bits) return version;
      }
    };
    export const getEncodedBits = version => {
      let rest = version << 12;
      while (getBCHDigit(rest) > 12) rest ^= 0x1f25 << (getBCHDigit(rest) - 13);
      return (version << 12) | rest;
    };`,
};

type Cut = readonly [piece: RegExp, instead: string];

/** Parts removed from files. Bytes saved: options in `qrcode` 150, levels Q and H in `error-correction-code` 210. */
const cuts: Readonly<Record<string, readonly Cut[]>> = {
  qrcode: [
    [/let segments\s+if \(Array\.isArray[\s\S]*?'Invalid data'\)\s+\}/, 'const segments = Segments.fromArray(data);'],
    [/\/\/ If not specified, use min version[\s\S]*?bestVersion \+ '\.\\n'\s+\)\s+\}/, 'version = bestVersion;'],
    [/if \(isNaN\(maskPattern\)\) \{([\s\S]*?)\n {2}\}/, '$1'],
    [
      /exports\.create = [\s\S]*$/,
      'exports.create = (data, options) => createSymbol(data, 0, ECLevel[options.errorCorrectionLevel]);',
    ],
  ],
  'error-correction-code': [
    [/^ +(\d+), (\d+), \d+, \d+(,?)$/gm, '$1,$2$3'],
    [/case ECLevel\.[QH]:\s+return.*$/gm, ''],
    [/- 1\) \* 4/g, '- 1) * 2'],
  ],
};

/** Files that export a class. */
const classes = ['bit-buffer', 'bit-matrix', 'byte-data', 'reed-solomon-encoder'];

/** Turns a CommonJS file of the package into an ES module. */
function asModule(code: string): string {
  return code
    .replace(/^const (\w+) = require\('\.\/([\w-]+)'\)\.(\w+)$/gm, "import { $3 as $1 } from './$2'")
    .replace(/^const (\w+) = require\('\.\/([\w-]+)'\)$/gm, (_, name: string, file: string) =>
      classes.includes(file) ? `import ${name} from './${file}'` : `import * as ${name} from './${file}'`,
    )
    .replace(/^module\.exports = (\w+)$/gm, 'export { $1 as default }')
    .replace(/^exports\.(\w+) = /gm, 'export const $1 = ')
    .replace(/\bexports\.(\w+)/g, '$1');
}

/** The plugin for Vite. The build fails if a file of `qrcode` does not have the expected form. */
export function leanQrCode(): Plugin {
  const nameOf = (id: string) => /[/\\]qrcode[/\\]lib[/\\]core[/\\]([\w-]+)\.js$/.exec(id)?.[1] ?? '';
  const replaced = new Set<string>();
  return {
    name: 'lean-qr-code',
    load(id) {
      const replacement = replacements[nameOf(id)];
      if (replacement !== undefined) replaced.add(nameOf(id));
      return replacement;
    },
    transform(code, id) {
      const name = nameOf(id);
      if (name === '') return null;
      const cut = (cuts[name] ?? []).reduce((text, [piece, instead]) => {
        if (text.search(piece) < 0) this.error(`qrcode no longer has ${piece}`);
        return text.replace(piece, instead);
      }, code);
      const module = asModule(cut);
      if (/\b(require\(|exports\b)/.test(module)) this.error(`${name}.js of qrcode is not in the expected form`);
      return { code: module, map: null };
    },
    buildEnd(error) {
      if (error || replaced.size === 0) return;
      for (const name of Object.keys(replacements))
        if (!replaced.has(name)) this.error(`qrcode no longer has ${name}.js`);
    },
  };
}
