import { CreatePayout } from '../../../api/payout.ts';
import { currencyFault } from '../../../core/currency.ts';
import type { FieldError } from '../../../core/error.ts';
import { createCheck } from '../../platform/http/validation.ts';

/** Maximum rows of a bulk request. */
export const mostRows = 10_000;

/** A well-formed row of the request. */
export interface ReadRow {
  readonly index: number;
  readonly row: CreatePayout;
}

/** The well-formed rows of a bulk request, and the errors of the other rows. */
export interface ReadRows {
  readonly rows: readonly ReadRow[];
  readonly errors: readonly (FieldError & { readonly index: number })[];
  /** Number of all rows, including rows above the limit. */
  readonly count: number;
}

const check = createCheck(CreatePayout);

/** Creates a reader that checks rows while they arrive: fields, amounts, currencies, and repeated references. */
export function createRowReader() {
  const rows: ReadRow[] = [];
  const errors: (FieldError & { index: number })[] = [];
  const references = new Map<string, number>();
  let count = 0;

  function take(value: unknown, index: number, problem?: FieldError): void {
    count = index + 1;
    // Too many rows fail the whole request, so rows above the limit are only counted.
    if (index >= mostRows) return;
    const path = `payouts[${index}]`;
    const found = problem === undefined ? check(value, path) : [problem];
    const row = found.length > 0 ? null : normalised(value as CreatePayout);
    const problems = row === null ? found : problemsOf(row, path, index);
    if (row !== null && problems.length === 0) rows.push({ index, row });
    for (const each of problems) errors.push({ index, ...each });
  }

  function problemsOf(row: CreatePayout, path: string, index: number): FieldError[] {
    const problems: FieldError[] = [];
    const { currency, reference, destination, recipient_id: recipient } = row;
    const fault = currencyFault(currency);
    if (fault !== null) problems.push({ param: `${path}.currency`, code: 'invalid_currency', message: fault });
    if (destination === undefined && recipient === undefined) {
      const message = `${path} needs a destination, or the recipient_id of a recipient with a default destination.`;
      problems.push({ param: `${path}.destination`, code: 'parameter_missing', message });
    }
    if (reference === '') {
      const message = `${path}.reference must not be blank. Leave it out, or send your own id of the payout.`;
      problems.push({ param: `${path}.reference`, code: 'parameter_invalid', message });
    } else if (reference !== undefined) {
      const key = reference.toLowerCase();
      const first = references.get(key);
      if (first === undefined) references.set(key, index);
      else problems.push(repeated(path, reference, `payouts[${first}] has the same one`));
    }
    return problems;
  }

  return { take, result: (): ReadRows => ({ rows, errors, count }) };
}

/** The error for a reference that is not unique. */
export function repeated(path: string, reference: string, why: string): FieldError {
  const message = `The reference “${reference}” must be unique: ${why}.`;
  return { param: `${path}.reference`, code: 'duplicate_reference', message };
}

/** Removes outer blanks of the reference, and writes the currency in capitals. */
function normalised(row: CreatePayout): CreatePayout {
  const reference = row.reference?.trim();
  const { reference: _, ...others } = row;
  return {
    ...others,
    currency: row.currency.toUpperCase(),
    ...(reference !== undefined && { reference }),
  };
}
