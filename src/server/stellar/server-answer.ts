import { parseUnits } from '../../core/money.ts';
import { stellarDecimals } from '../../core/stellar/stellar-amount.ts';
import { ExchangeError, type HttpAnswer, type HttpExchange, type HttpRequest } from '../platform/http-exchange.ts';
import { StellarUnavailable } from './network.ts';

/** Sends a request to the named server. Throws `StellarUnavailable` if there is no complete answer. */
export async function askServer(http: HttpExchange, name: string, request: HttpRequest): Promise<HttpAnswer> {
  try {
    return await http.send(request);
  } catch (cause) {
    if (!(cause instanceof ExchangeError)) throw cause;
    throw new StellarUnavailable(`${name} does not answer: ${cause.message}`, { cause });
  }
}

/**
 * Returns a function that checks once that a server belongs to the network, because money of another network must not
 * count. Repeats a failed check, because the operator may correct the server.
 */
export function createNetworkCheck(server: string, passphrase: string, read: () => Promise<string | undefined>) {
  let checked: Promise<void> | null = null;
  const check = async () => {
    const found = await read();
    if (found === passphrase) return;
    throw new StellarUnavailable(
      `the ${server} belongs to another network: its passphrase is “${found}”, not “${passphrase}”`,
    );
  };
  return async (): Promise<void> => {
    checked ??= check();
    await checked.catch(error => {
      checked = null;
      throw error;
    });
  };
}

/** A JSON object of an answer, read field by field. Throws `StellarUnavailable` if a field is not as documented. */
export class JsonRecord {
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #name: string;

  constructor(value: unknown, name: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed(name);
    this.#fields = value as Record<string, unknown>;
    this.#name = name;
  }

  /** Whether the field exists and is not null. */
  has(field: string): boolean {
    return Object.hasOwn(this.#fields, field) && this.#fields[field] != null;
  }

  text(field: string): string {
    const value = this.#fields[field];
    return typeof value === 'string' ? value : this.#fail(field);
  }

  /** The text, or null if it is missing or empty. */
  optionalText(field: string): string | null {
    return this.has(field) ? this.text(field) || null : null;
  }

  boolean(field: string): boolean {
    const value = this.#fields[field];
    return typeof value === 'boolean' ? value : this.#fail(field);
  }

  /** A whole number of at least 0, as JSON number or text. */
  integer(field: string): number {
    const value = Number(this.bigint(field));
    return Number.isSafeInteger(value) ? value : this.#fail(field);
  }

  /** A whole number of at least 0, as JSON number or text. */
  bigint(field: string): bigint {
    const text = String(this.#fields[field]);
    return /^\d{1,20}$/.test(text) ? BigInt(text) : this.#fail(field);
  }

  /** A decimal text, in stroops. */
  amount(field: string): bigint {
    return parseUnits(this.text(field), stellarDecimals) ?? this.#fail(field);
  }

  /** A time (RFC 3339). */
  time(field: string): Date {
    const time = new Date(this.text(field));
    return Number.isNaN(time.getTime()) ? this.#fail(field) : time;
  }

  record(field: string): JsonRecord {
    return new JsonRecord(this.#fields[field], `${this.#name}.${field}`);
  }

  list(field: string): JsonRecord[] {
    const value = this.#fields[field];
    if (!Array.isArray(value)) return this.#fail(field);
    return value.map((each, index) => new JsonRecord(each, `${this.#name}.${field}[${index}]`));
  }

  texts(field: string): string[] {
    const value = this.#fields[field];
    const isTexts = Array.isArray(value) && value.every(each => typeof each === 'string');
    return isTexts ? value : this.#fail(field);
  }

  #fail(field: string): never {
    throw malformed(`${this.#name}.${field}`);
  }
}

/** Parses a JSON object. Null for any other text, such as an HTML page. */
export function parseRecord(text: string, name: string): JsonRecord | null {
  try {
    return new JsonRecord(JSON.parse(text), name);
  } catch {
    return null;
  }
}

function malformed(name: string): StellarUnavailable {
  return new StellarUnavailable(`the answer of the Stellar server cannot be read: ${name} is not as documented`);
}
