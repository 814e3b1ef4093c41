import { type FieldError, PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import { isFileField, sep9Field } from '../../../core/kyc/sep9-fields.ts';
import type { Tx } from '../../platform/db/database.ts';
import { invalidRequest } from '../../platform/http/validation.ts';
import type { MerchantScope } from '../../platform/merchant.ts';
import type { KycDeps } from '../kyc-deps.ts';
import type { KycFileRow, KycRow } from '../tables.ts';
import { acceptFile } from './accepted-file.ts';
import { deleteFiles, insertFiles, type KycFileHead } from './kyc-file.store.ts';

/** Files of a request by their fields, encrypted. Null deletes a file. */
export type GivenFiles = ReadonlyMap<string, KycFileRow | null>;

/** A file is encrypted for its record: a copy in another record cannot be opened. */
export const fileContext = ({ merchant_id: merchantId, id }: Pick<KycFileRow, 'merchant_id' | 'id'>) =>
  `kyc file ${merchantId} ${id}`;

/** Checks and encrypts the files of a form. Throws `unsupported_file`, `unavailable`, or the errors of wrong fields. */
export async function readFiles(
  { kycKeys }: Pick<KycDeps, 'kycKeys'>,
  { merchantId, livemode }: MerchantScope,
  customerId: string,
  given: ReadonlyMap<string, Buffer>,
  now: Date,
): Promise<GivenFiles> {
  assertFileFields([...given.keys()]);
  const files = new Map<string, KycFileRow>();
  // One after the other, because a decoded image takes much memory.
  for (const [field, bytes] of given) {
    const accepted = await acceptFile(field, bytes);
    const owner = { merchant_id: merchantId, id: newId('kycFile'), livemode, customer_id: customerId };
    const { keyId, sealed } = kycKeys.seal(accepted.bytes, fileContext(owner));
    const { type, sha256 } = accepted;
    const size = accepted.bytes.length;
    files.set(field, { ...owner, field, type, size, sha256, key_id: keyId, sealed, created_at: now });
  }
  return files;
}

function assertFileFields(names: readonly string[]): void {
  const errors = names
    .filter(name => !isFileField(name))
    .map((param): FieldError => {
      if (sep9Field(param) === undefined) {
        return {
          param,
          code: 'parameter_unknown',
          message: `${param.slice(0, 60)} is not a field of SEP-9 for files.`,
        };
      }
      return { param, code: 'parameter_invalid', message: `${param} takes a text, not a file.` };
    });
  if (errors.length > 0) throw invalidRequest(errors);
}

/**
 * Stores the files of a changed record. A new file replaces the old one of its field. Deletes the files of fields that
 * the record no longer has.
 */
export async function storeFiles(
  tx: Tx,
  { merchant_id: merchantId, customer_id: customerId, provided }: KycRow,
  kept: readonly KycFileHead[],
  given: GivenFiles,
): Promise<void> {
  const digests = digestsOf(kept);
  const added = [...given.values()].filter(file => file !== null).filter(file => digests[file.field] !== file.sha256);
  const replaced = added.map(({ field }) => field);
  const gone = Object.keys(digests).filter(field => !provided.includes(field) || replaced.includes(field));
  if (gone.length > 0) await deleteFiles(tx, merchantId, customerId, gone);
  await insertFiles(tx, added);
}

/** The digests of files by their fields. They show whether a file has changed. */
export function digestsOf(files: readonly Pick<KycFileRow, 'field' | 'sha256'>[]): Readonly<Record<string, string>> {
  return Object.fromEntries(files.map(({ field, sha256 }) => [field, sha256]));
}

/** The error for a file that the customer does not have. */
export function noSuchFile(id: string): PayError {
  return new PayError('resource_missing', `The customer has no file ${id.slice(0, 64)}. List the files.`, {
    param: 'file',
  });
}
