import { PayApiError } from '../api/client.ts';

/** A failure that the user can mend. The message is a sentence that says how. */
export class CliError extends Error {
  override readonly name: string = 'CliError';
}

/** A wrong command line. */
export class UsageError extends CliError {
  override readonly name = 'UsageError';
}

/** The sentence about an error for stderr. An error of the API names its code, its parameter and its request. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof PayApiError)) return error instanceof Error ? error.message || error.name : String(error);
  const { code, param, requestId, errors } = error;
  const fields = errors.length > 1 ? errors.map(field => ` ${field.param}: ${field.message}`).join('') : '';
  const facts = [`code ${code}`, param !== null && `parameter ${param}`, requestId !== null && `request ${requestId}`];
  return `${error.message}${fields} (${facts.filter(Boolean).join(', ')})`;
}
