import { PayApiError } from '../api/client.ts';

/** An error that the user can correct. The message says how. */
export class CliError extends Error {
  override readonly name: string = 'CliError';
}

/** Thrown for a wrong command line. */
export class UsageError extends CliError {
  override readonly name = 'UsageError';
}

/** The sentence about an error for stderr. An error of the API names its code, its parameter and its request. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof PayApiError)) return reasonOf(error);
  const { code, param, requestId, errors } = error;
  const fields = errors.length > 1 ? errors.map(field => ` ${field.param}: ${field.message}`).join('') : '';
  const facts = [`code ${code}`, param !== null && `parameter ${param}`, requestId !== null && `request ${requestId}`];
  return `${error.message}${fields} (${facts.filter(Boolean).join(', ')})`;
}

/** The message of an error. An error of `fetch` gives no reason itself, so the message of its cause is used. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const told = error.message === 'fetch failed' && cause instanceof Error ? cause : error;
  return told.message || ('code' in told ? String(told.code) : told.name);
}
