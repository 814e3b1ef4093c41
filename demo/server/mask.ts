/** Secrets that have a recognisable form, anywhere in a text. */
const patterns: readonly RegExp[] = [
  /\b(sk_(?:test|live)_)[0-9A-Za-z]+/g,
  /\b(pay_[0-9A-Za-z]{1,40}_secret_)[0-9A-Za-z]+/g,
  /\b(whsec_)[0-9A-Za-z+/=]+/g,
];

/** Fields whose values are always secret. */
const secretFields: ReadonlySet<string> = new Set(['client_secret', 'secret', 'key', 'token', 'authorization', 'cvc']);

/** The last four characters tell two secrets apart. */
function hidden(secret: string): string {
  return `…${secret.slice(-4)}`;
}

function maskedText(text: string): string {
  return patterns.reduce((masked, pattern) => {
    return masked.replace(pattern, (all, prefix: string) => prefix + hidden(all));
  }, text);
}

/** The token in the address of a hosted checkout opens the payment, as a client secret does. */
function maskedAddress(text: string): string {
  return text.replace(/(\/checkout\/)[0-9A-Za-z]{20,}/, (all, prefix: string) => prefix + hidden(all));
}

/** Copies a JSON value and reduces its secrets to their last four characters. */
export function masked(value: unknown, field = ''): unknown {
  if (typeof value === 'string') {
    const text = maskedAddress(maskedText(value));
    return secretFields.has(field) && text === value && value.length > 4 ? hidden(value) : text;
  }
  if (Array.isArray(value)) return value.map(item => masked(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, masked(item, name)]));
}
