import { parseUnits, stellarDecimals } from '../../core/money.ts';
import { StellarUnavailable } from './network.ts';

/**
 * An object of an answer, read field by field. Whatever is not as the server’s documentation says throws
 * StellarUnavailable: an answer that cannot be understood is none.
 */
export class JsonRecord {
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #name: string;

  constructor(value: unknown, name: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw misunderstood(name);
    this.#fields = value as Record<string, unknown>;
    this.#name = name;
  }

  /** Whether the field is there and not null. */
  has(field: string): boolean {
    return Object.hasOwn(this.#fields, field) && this.#fields[field] != null;
  }

  text(field: string): string {
    const value = this.#fields[field];
    return typeof value === 'string' ? value : this.#fail(field);
  }

  /** The text, or null when the field is not there or empty. */
  optionalText(field: string): string | null {
    return this.has(field) ? this.text(field) || null : null;
  }

  boolean(field: string): boolean {
    const value = this.#fields[field];
    return typeof value === 'boolean' ? value : this.#fail(field);
  }

  /** A whole number from 0 on, as JSON number or text. */
  integer(field: string): number {
    const value = Number(this.bigint(field));
    return Number.isSafeInteger(value) ? value : this.#fail(field);
  }

  /** A whole number from 0 on, as JSON number or text. */
  bigint(field: string): bigint {
    const text = String(this.#fields[field]);
    return /^\d{1,20}$/.test(text) ? BigInt(text) : this.#fail(field);
  }

  /** Stroops of a decimal text. */
  amount(field: string): bigint {
    return parseUnits(this.text(field), stellarDecimals) ?? this.#fail(field);
  }

  /** A moment as RFC 3339 text. */
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
    throw misunderstood(`${this.#name}.${field}`);
  }
}

/** The object of a JSON text, or null when it is none: an HTML page, half an answer, a list. */
export function parseRecord(text: string, name: string): JsonRecord | null {
  try {
    return new JsonRecord(JSON.parse(text), name);
  } catch {
    return null;
  }
}

function misunderstood(name: string): StellarUnavailable {
  return new StellarUnavailable(
    `the answer of the Stellar server cannot be understood: ${name} is not as it should be`,
  );
}
