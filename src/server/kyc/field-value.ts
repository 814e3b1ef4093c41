import { isDay } from '../../core/calendar.ts';
import { isEmail } from '../../core/email.ts';
import type { ErrorCode, FieldError } from '../../core/error.ts';
import { isCountryCode } from '../../core/kyc/countries.ts';
import { type FieldFormat, type Sep9Field, sep9Field } from '../../core/kyc/sep9-fields.ts';
import { parseWebAddress } from '../../core/web-address.ts';
import { invalidRequest } from '../platform/http/validation.ts';
import { parsePhoneNumber } from '../platform/phone-number.ts';

/** How a value of a format is read: null for a wrong one. `today` is the current day (UTC). */
interface FormatRule {
  readonly read: (text: string, field: Sep9Field, today: string) => string | null;
  /** What the field takes, for the message. No message repeats the value. */
  readonly takes: string;
  readonly code?: ErrorCode;
}

/** Fields with a day that may lie in the future. */
const endsLater: readonly string[] = ['id_expiration_date'];

const matching = (pattern: RegExp) => (text: string) => (pattern.test(text) ? text : null);

const rules: Readonly<Record<Exclude<FieldFormat, 'file'>, FormatRule>> = {
  text: { read: readText, takes: 'takes a text without control characters.' },
  date: {
    read: (text, { name }, today) => (isDay(text) && (endsLater.includes(name) || text <= today) ? text : null),
    takes: 'takes a day like 1990-12-31 (ISO 8601), from 1900 on.',
  },
  country: {
    read: text => (isCountryCode(text.toUpperCase()) ? text.toUpperCase() : null),
    takes: 'takes a country code of three letters (ISO 3166-1 alpha-3), for example KEN.',
  },
  language: {
    read: text => matching(/^[a-z]{2}$/)(text.toLowerCase()),
    takes: 'takes a language code of two letters (ISO 639-1), for example en.',
  },
  phone: {
    read: text => (text.startsWith('+') ? parsePhoneNumber(text) : null),
    takes: 'takes a phone number with country code (E.164), for example +254712345678.',
    code: 'invalid_phone_number',
  },
  email: {
    read: text => (isEmail(text) ? text : null),
    takes: 'takes an e-mail address.',
    code: 'invalid_email',
  },
  web: { read: text => parseWebAddress(text)?.href ?? null, takes: 'takes an http or https address.' },
  occupation: { read: matching(/^\d{1,4}$/), takes: 'takes a code of ISCO-08, for example 2512.' },
  count: { read: matching(/^\d{1,9}$/), takes: 'takes a whole number, as text.' },
};

function readText(text: string, { choices }: Sep9Field): string | null {
  if (choices !== undefined) return choices.includes(text) ? text : null;
  // Addresses have several lines. Other control characters could deceive those who read the value.
  return text !== '' && !/[^\P{Cc}\r\n]/u.test(text) ? text : null;
}

/**
 * Reads the fields of a request: a canonical value, or null for a field to remove. Throws one error that names every
 * wrong field.
 */
export function readFields(given: Readonly<Record<string, unknown>>, now: Date): ReadonlyMap<string, string | null> {
  const [today = ''] = now.toISOString().split('T');
  const errors: FieldError[] = [];
  const values = new Map<string, string | null>();
  for (const [name, value] of Object.entries(given)) {
    const field = sep9Field(name);
    if (field === undefined || field.format === 'file' || value === undefined) continue;
    const rule = rules[field.format];
    const read = typeof value === 'string' ? rule.read(value.trim(), field, today) : null;
    if (value !== null && read === null) {
      errors.push({ param: name, code: rule.code ?? 'parameter_invalid', message: `${name} ${rule.takes}` });
    }
    values.set(name, read);
  }
  if (errors.length > 0) throw invalidRequest(errors);
  return values;
}
