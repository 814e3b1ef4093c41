import { inspect } from 'node:util';
import ipaddr from 'ipaddr.js';
import { isEmail } from '../../core/email.ts';
import { parseWebAddress } from '../../core/web-address.ts';

export interface Setting<T = unknown> {
  /** The name of the environment variable. */
  readonly name: string;
  /** Reads the value. Throws an Error that says which values are allowed. */
  readonly parse: (text: string) => T;
  /** The default value. Without it, the default is blank. */
  readonly default?: string;
  readonly help: string;
  /** Whether the variable is deleted from the environment after it is read. */
  readonly secret?: true;
}

/** The parsed values of a table of settings. */
export type ValuesOf<Settings extends Readonly<Record<string, Setting>>> = {
  readonly [Field in keyof Settings]: ReturnType<Settings[Field]['parse']>;
};

export function optional<T>(parse: (text: string) => T): (text: string) => T | null {
  return text => (text === '' ? null : parse(text));
}

export function integer(least: number, most: number): (text: string) => number {
  return text => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : -1;
    if (value < least || value > most) throw new Error(`takes a whole number from ${least} to ${most}`);
    return value;
  };
}

export function nonEmpty(text: string): string {
  if (text.includes('\0')) throw new Error('must not contain a NUL character');
  return text;
}

export function oneOf<const T extends string>(values: readonly T[]): (text: string) => T {
  return text => {
    const value = values.find(candidate => candidate === text);
    if (value === undefined) throw new Error(`takes ${values.join(', ')}`);
    return value;
  };
}

/** Some of the values, each once, separated by commas. */
export function someOf<const T extends string>(values: readonly T[]): (text: string) => readonly T[] {
  return text => [...new Set(text.split(',').map(part => oneOf(values)(part.trim())))];
}

export function flag(text: string): boolean {
  if (text !== '0' && text !== '1') throw new Error('takes 0 or 1');
  return text === '1';
}

/** Addresses or CIDR ranges, separated by commas. */
export function list(text: string): readonly string[] {
  const ranges = text.split(',').flatMap(range => range.trim() || []);
  for (const range of ranges) {
    if (!isAddress(range) && !ipaddr.isValidCIDR(range)) throw new Error(`"${range}" is not an address or CIDR range`);
  }
  return ranges;
}

function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}

/** The address of a server, without a slash at the end. */
export function baseUrl(text: string): string {
  const url = parseWebAddress(text);
  if (url === null || url.search !== '' || url.hash !== '') {
    throw new Error('takes an http or https address without query, for example https://pay.example.com');
  }
  return url.href.replace(/\/+$/, '');
}

/** The address of a mail server. The text may contain a password, so no message repeats it. */
export function smtpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '') {
    throw new Error(
      'takes an address like smtp://user:password@mail.example.com:587 (smtps:// for TLS from the start)',
    );
  }
  return text;
}

export function mailAddress(text: string): string {
  if (!isEmail(text)) throw new Error('takes an e-mail address like billing@example.com');
  return text;
}

/** A secret text that logs, JSON and `console.log` show as `[redacted]`. */
export class SecretText {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return '[redacted]';
  }

  toJSON(): string {
    return '[redacted]';
  }

  [inspect.custom](): string {
    return '[redacted]';
  }
}

/** The largest Levenshtein distance that still counts as a misspelling. */
const slip = 2;

/** Non-blank variables that begin with `PAY_` but are not settings. `meant`: the setting of a similar name, or null. */
export function unknownSettings(environment: Readonly<Record<string, string | undefined>>, names: readonly string[]) {
  return Object.keys(environment)
    .filter(name => name.startsWith('PAY_') && !names.includes(name) && environment[name]?.trim() !== '')
    .map(name => ({ name, meant: names.find(known => distance(name, known) <= slip) ?? null }));
}

/** The Levenshtein distance: letters to add, remove or replace. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...to].entries()) {
      const exchanged = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(exchanged, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
