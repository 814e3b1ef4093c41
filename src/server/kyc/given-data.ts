import type { UpdateKyc } from '../../api/kyc/kyc.ts';
import { PayError } from '../../core/error.ts';
import { sep9Field } from '../../core/kyc/sep9-fields.ts';
import { invalidRequest } from '../platform/http/validation.ts';
import type { GivenFiles } from './files/given-files.ts';
import type { KycDeps } from './kyc-deps.ts';
import type { KycValues } from './provider.ts';
import { openValues, sealValues } from './sealed-values.ts';
import type { KycRow } from './tables.ts';

/** Values of fields with texts. Null removes a field. */
export type GivenValues = ReadonlyMap<string, string | null>;

/** The data of a request, and the digests of the files that the customer has. */
export interface GivenData {
  readonly values: GivenValues;
  readonly files: GivenFiles;
  readonly kept: Readonly<Record<string, string>>;
}

/** The record with the type of the request. A check that has begun keeps its type. Throws `illegal_state`. */
export function typed(row: KycRow, { type = row.type }: UpdateKyc): KycRow {
  if (type === row.type) return row;
  if (row.tier === null && (row.status === 'not_started' || row.status === 'incomplete')) {
    return { ...row, type, asked_again: [] };
  }
  const message = `The identity check is ${row.status} for a ${row.type}. Its type can no longer change.`;
  throw new PayError('illegal_state', message, { param: 'type' });
}

/**
 * The columns that store the record's data after the request, and whether the request changed values. The value of a
 * file's field is the digest of the file.
 */
export function withData({ secrets }: KycDeps, before: KycRow, body: UpdateKyc, { values, files, kept }: GivenData) {
  const row = typed(before, body);
  const given = new Map([...values, ...[...files].map(([field, file]) => [field, file?.sha256 ?? null] as const)]);
  assertFits(row, given);
  const old = { ...openValues(secrets, before), ...kept };
  const fitting = Object.entries(old).filter(([name]) => sep9Field(name)?.of === row.type);
  const next = merged(Object.fromEntries(fitting), given);
  const names = [...new Set([...Object.keys(old), ...Object.keys(next)])];
  const changed = names.filter(name => old[name] !== next[name]);
  const set: Partial<KycRow> = {
    type: row.type,
    asked_again: row.asked_again.filter(name => !given.has(name) || given.get(name) === null),
    ...(changed.length > 0 && sealValues(secrets, row, next)),
  };
  // Another value takes the basis of an approval away; a further field does not.
  return {
    row: { ...row, ...set },
    set,
    isChanged: changed.length > 0,
    isCorrected: changed.some(name => name in old),
  };
}

export function merged(values: KycValues, given: GivenValues): KycValues {
  const all = Object.entries({ ...values, ...Object.fromEntries(given) });
  return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== null));
}

/** Throws `parameter_invalid` for fields of the other type. */
function assertFits({ type }: KycRow, given: GivenValues): void {
  const wrong = [...given.keys()].filter(name => sep9Field(name)?.of !== type);
  if (wrong.length === 0) return;
  const errors = wrong.map(param => ({
    param,
    code: 'parameter_invalid' as const,
    message: `${param} does not belong to a ${type}. Send the matching type with it.`,
  }));
  throw invalidRequest(errors);
}
