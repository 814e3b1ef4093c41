import { isFileField } from '../../core/kyc/sep9-fields.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { KycValues } from './provider.ts';
import type { KycRow } from './tables.ts';

/** The personal data is sealed for its record: a copy in another record cannot be opened. */
const contextOf = ({ merchant_id: merchantId, id }: KycRow) => `kyc ${merchantId} ${id}`;

/** The values of the given fields. */
export function openValues({ open }: Pick<Secrets, 'open'>, row: KycRow): KycValues {
  return row.sealed === null ? {} : (JSON.parse(open(row.sealed, contextOf(row))) as KycValues);
}

/** The columns that store the values. Files are stored by `files/`, so only their names are stored here. */
export function sealValues(
  { seal }: Pick<Secrets, 'seal'>,
  row: KycRow,
  values: KycValues,
): Pick<KycRow, 'provided' | 'sealed'> {
  const texts = Object.entries(values).filter(([name]) => !isFileField(name));
  const sealed = texts.length === 0 ? null : seal(JSON.stringify(Object.fromEntries(texts)), contextOf(row));
  return { provided: Object.keys(values), sealed };
}
