import { isUtf8 } from 'node:buffer';
import { PayError } from '../../../core/error.ts';
import { codeOfField, joinPath } from './violations.ts';

/** Maximum nesting of a body. No request of the API nests deeper. */
const deepest = 32;

interface Shape {
  /** Number of colons outside strings. Each key of each object has one. */
  keys: number;
  hasNul: boolean;
  hasSurrogateEscape: boolean;
  /** Whether a number is written with a fraction or an exponent. */
  hasFraction: boolean;
}

/**
 * Parses a request body strictly: UTF-8, one JSON object of at most 32 levels, no repeated key, no `__proto__`, and no
 * fraction that parsing would round to an integer. Also refuses NUL and lone surrogates, which PostgreSQL cannot store.
 * Throws `invalid_json`, or `invalid_amount` / `parameter_invalid` for a number.
 */
export function parseJsonObject(bytes: Buffer): Record<string, unknown> {
  if (!isUtf8(bytes)) throw invalidJson('The body is not valid UTF-8.');
  const shape = scan(bytes);
  if (shape.hasNul) throw invalidJson('A text in the body contains a NUL character (\\u0000).');
  const text = bytes.toString('utf8');
  const value = parse(text);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw invalidJson('The body must be a JSON object.');
  }
  if (countKeys(value) !== shape.keys) throw invalidJson('An object in the body has the same key twice.');
  if (shape.hasSurrogateEscape && !isWellFormed(value)) {
    throw invalidJson('A text in the body contains half of a surrogate pair.');
  }
  if (shape.hasFraction) refuseRoundedIntegers(text);
  return value as Record<string, unknown>;
}

function invalidJson(message: string): PayError {
  return new PayError('invalid_json', message);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The engine's own message would quote the body, which may contain card data.
    const position = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined;
    throw invalidJson(`The body is not valid JSON${position === undefined ? '' : ` (at character ${position})`}.`);
  }
}

function scan(bytes: Buffer): Shape {
  const shape: Shape = { keys: 0, hasNul: false, hasSurrogateEscape: false, hasFraction: false };
  let depth = 0;
  for (let i = 0; i < bytes.length; i++) {
    switch (bytes[i]) {
      case 0x22: // "
        i = skipString(bytes, i + 1, shape);
        break;
      case 0x3a: // :
        shape.keys++;
        break;
      case 0x7b: // {
      case 0x5b: // [
        if (++depth > deepest) throw invalidJson(`The body nests deeper than ${deepest} levels.`);
        break;
      case 0x7d: // }
      case 0x5d: // ]
        depth--;
        break;
      case 0x2e: // .
      case 0x45: // E
        shape.hasFraction = true;
        break;
      case 0x65: // e, also the last letter of true and false
        if (isDigit(bytes[i - 1])) shape.hasFraction = true;
        break;
    }
  }
  return shape;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

/** The index of the closing quote of the string whose first character is at `start`. */
function skipString(bytes: Buffer, start: number, shape: Shape): number {
  let i = start;
  for (; i < bytes.length && bytes[i] !== 0x22; i++) {
    if (bytes[i] !== 0x5c) continue;
    i++;
    if (bytes[i] !== 0x75) continue;
    const digits = bytes.toString('latin1', i + 1, i + 5);
    if (digits === '0000') shape.hasNul = true;
    else if (/^[dD][89a-fA-F]/.test(digits)) shape.hasSurrogateEscape = true;
  }
  return i;
}

function countKeys(value: object): number {
  let keys = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && item !== null) keys += countKeys(item);
    return keys;
  }
  for (const key in value) {
    if (key === '__proto__') throw invalidJson('The key __proto__ is not allowed.');
    keys++;
    const item = (value as Record<string, unknown>)[key];
    if (typeof item === 'object' && item !== null) keys += countKeys(item);
  }
  return keys;
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, item]) => key.isWellFormed() && isWellFormed(item));
}

/** Whether a JSON number equals the integer that it was parsed to: `1.5e1` does, `1.0000000000000000001e0` does not. */
function isExactInteger(source: string): boolean {
  const [mantissa = '', exponent = '0'] = source.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const places = fraction.length - Number(exponent);
  // Without the exponent, all digits after the decimal point must be zeros.
  return places <= 0 || /^0*$/.test((whole + fraction).slice(-places));
}

type Reviver = (this: object, key: string, value: unknown, context?: { readonly source?: string }) => unknown;

/** Refuses `9007199254740991.4` and `1.00000000000000001`: parsing would silently round money to an integer. */
function refuseRoundedIntegers(text: string): void {
  const rounded: { holder?: object; key?: string } = {};
  const reviver: Reviver = function (key, value, context) {
    const source = context?.source;
    if (typeof value === 'number' && Number.isInteger(value) && source !== undefined && !isExactInteger(source)) {
      rounded.holder ??= this;
      rounded.key ??= key;
    }
    return value;
  };
  const body: unknown = JSON.parse(text, reviver);
  if (rounded.holder === undefined || rounded.key === undefined) return;
  const param = pathIn(body, rounded.holder, rounded.key) ?? rounded.key;
  throw new PayError(codeOfField(param), `${param} has too many digits to be exact.`, { param });
}

/** The path of a holder's key in wire notation: `lines[2].quantity`. Undefined outside the value. */
function pathIn(value: unknown, holder: object, key: string, path = ''): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const below = (name: string) => (Array.isArray(value) ? `${path}[${name}]` : joinPath(path, name.slice(0, 60)));
  if (value === holder) return below(key);
  for (const [name, item] of Object.entries(value)) {
    const found = pathIn(item, holder, key, below(name));
    if (found !== undefined) return found;
  }
  return undefined;
}
