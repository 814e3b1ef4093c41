import { Type } from 'typebox';
import { Kyc, KycFile } from '../../../api/kyc/kyc.ts';
import { ListOf } from '../../../api/schema.ts';
import { type Caller, callerOf, scopeOf } from '../../platform/http/access/caller.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { kycToWire } from '../kyc.ts';
import type { KycDeps } from '../kyc-deps.ts';
import { assertCustomer } from '../read.service.ts';
import type { KycFileRow } from '../tables.ts';
import { updateKyc } from '../update.service.ts';
import { fileContext, noSuchFile } from './given-files.ts';
import { findFile, type KycFileHead, listFiles } from './kyc-file.store.ts';

const tags = ['Identity checks'];
const url = '/v1/customers/:id/kyc/files';
const writing = { access: 'secret', scope: 'kyc:write' } as const;
const params = Type.Object({ id: Type.String({ maxLength: 64 }) });
const fileParams = Type.Object({
  ...params.properties,
  file: Type.String({ maxLength: 64, description: 'Id of the file.', examples: ['kfile_3kTMd0PpC1hJ6nLq2uXs9B'] }),
});

/** `/v1/customers/:id/kyc/files`: files of identity checks. `PUT /v1/customers/:id/kyc` takes new ones. */
export function registerKycFileRoutes(app: HttpApp, deps: KycDeps): void {
  app.get(
    url,
    {
      schema: {
        params,
        response: { 200: ListOf(KycFile) },
        tags,
        summary: 'List the files of an identity check',
        description: 'A field has one file. The list has no content.',
      },
      config: { access: 'secret', scope: 'kyc:read' },
    },
    async request => {
      const { id } = request.params;
      await assertCustomer(deps, callerOf(request), id);
      const files = await listFiles(deps.db, scopeOf(callerOf(request)), id);
      const list = { object: 'list' as const, url: url.replace(':id', id), has_more: false };
      return { ...list, data: files.map(fileToWire) };
    },
  );
  registerDownload(app, deps);
  app.delete(
    `${url}/:file`,
    {
      schema: {
        params: fileParams,
        response: { 200: Kyc },
        tags,
        summary: 'Delete a file of an identity check',
        description: 'Answers the identity check, which may need the field again.',
      },
      config: writing,
    },
    async request => {
      const caller = callerOf(request);
      const { field } = await readFile(deps, caller, request.params);
      return kycToWire(await updateKyc(deps, caller, request.params.id, {}, new Map([[field, null]])));
    },
  );
}

const extensions: Readonly<Record<KycFileRow['type'], string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'application/pdf': 'pdf',
};

function registerDownload(app: HttpApp, deps: KycDeps): void {
  app.get(
    `${url}/:file`,
    {
      schema: {
        params: fileParams,
        tags,
        summary: 'Look at a file of an identity check',
        description:
          'The content as an attachment. The audit log has each look of a person, the request log each call.',
      },
      config: { ...writing, audited: true },
    },
    async (request, reply) => {
      const file = await readFile(deps, callerOf(request), request.params);
      const content = deps.kycKeys.open(file.key_id, file.sealed, fileContext(file));
      return reply
        .type(file.type)
        .header('content-disposition', `attachment; filename="${file.field}.${extensions[file.type]}"`)
        .header('content-security-policy', "sandbox; default-src 'none'; frame-ancestors 'none'")
        .send(content);
    },
  );
}

/** Throws `resource_missing`. */
async function readFile(
  deps: KycDeps,
  caller: Caller,
  { id, file: fileId }: { readonly id: string; readonly file: string },
): Promise<KycFileRow> {
  await assertCustomer(deps, caller, id);
  const file = await findFile(deps.db, scopeOf(caller), id, fileId);
  if (file === null) throw noSuchFile(fileId);
  return file;
}

function fileToWire(file: KycFileHead): KycFile {
  return {
    id: file.id,
    object: 'kyc_file',
    customer: file.customer_id,
    field: file.field,
    type: file.type,
    size: file.size,
    sha256: file.sha256,
    livemode: file.livemode,
    created_at: file.created_at.toISOString(),
  };
}
