import { Type } from 'typebox';
import { Kyc, KycStatus, KycValues, UpdateKyc } from '../../api/kyc/kyc.ts';
import { ListOf, ListQuery } from '../../api/schema.ts';
import { callerOf, scopeOf } from '../platform/http/access/caller.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import { listAnswer, parseListQuery } from '../platform/http/list.ts';
import { parseForms } from '../platform/http/multipart.ts';
import { readFiles } from './files/given-files.ts';
import { listKyc } from './kyc.store.ts';
import { kycToWire } from './kyc.ts';
import type { KycDeps } from './kyc-deps.ts';
import { assertCustomer, readKyc, revealKyc } from './read.service.ts';
import { updateKyc } from './update.service.ts';

const tags = ['Identity checks'];
const url = '/v1/kyc';
const reading = { access: 'secret', scope: 'kyc:read' } as const;
const writing = { access: 'secret', scope: 'kyc:write' } as const;
const params = Type.Object({ id: Type.String({ maxLength: 64 }) });

/** `/v1/customers/:id/kyc` and `/v1/kyc`: identity checks of customers. */
export function registerKycRoutes(app: HttpApp, deps: KycDeps): void {
  registerReads(app, deps);
  registerReveal(app, deps);
  // Only this call takes forms.
  void app.register(async (scope: HttpApp) => {
    parseForms(scope, largestForm);
    registerUpdate(scope, deps);
  });
}

/** Largest form, in bytes. Several forms can bring further files. */
const largestForm = 32 * 1_048_576;

function registerUpdate(app: HttpApp, deps: KycDeps): void {
  app.put(
    '/v1/customers/:id/kyc',
    {
      schema: {
        params,
        body: UpdateKyc,
        consumes: 'multipart/form-data',
        response: { 200: Kyc },
        tags,
        summary: 'Give data for an identity check',
        description:
          'Merges the fields, by their names in SEP-9. Once `requested_tier` has all its fields, the review begins. ' +
          'Another value of a given field ends an approval. With `ramps.kyc: platform`, `status` and `tier` are your own ' +
          'decision, and no review begins.\n\n' +
          'Files come as `multipart/form-data` of at most 32 MiB, with the other fields as texts. A file is a JPEG, PNG ' +
          'or WebP image of at most 50 million pixels, or a PDF without JavaScript, embedded files and encryption. It has ' +
          'at most 10 MiB. A new file of a field replaces the old one. Images are encoded again, without their metadata.',
      },
      config: writing,
    },
    async request => {
      const caller = callerOf(request);
      const { id } = request.params;
      if (request.formFiles !== null) await assertCustomer(deps, caller, id);
      const files = await readFiles(deps, scopeOf(caller), id, request.formFiles ?? new Map(), caller.now);
      return kycToWire(await updateKyc(deps, caller, id, request.body, files));
    },
  );
}

function registerReads(app: HttpApp, deps: KycDeps): void {
  app.get(
    '/v1/customers/:id/kyc',
    {
      schema: {
        params,
        response: { 200: Kyc },
        tags,
        summary: 'Read the identity check of a customer',
        description: '`fields` says what is given and what `requested_tier` still needs, without the values.',
      },
      config: reading,
    },
    async request => kycToWire(await readKyc(deps, callerOf(request), request.params.id)),
  );
  app.get(
    url,
    {
      schema: {
        querystring: Type.Object({ ...ListQuery.properties, status: Type.Optional(KycStatus) }),
        response: { 200: ListOf(Kyc) },
        tags,
        summary: 'List identity checks',
      },
      config: reading,
    },
    async request => {
      const { status } = request.query;
      const page = await listKyc(deps.db, scopeOf(callerOf(request)), parseListQuery(request.query), { status });
      return listAnswer(url, page, kycToWire);
    },
  );
}

/** A POST, so that the audit log has each look of a person at the data. */
function registerReveal(app: HttpApp, deps: KycDeps): void {
  app.post(
    '/v1/customers/:id/kyc/reveal',
    {
      schema: {
        params,
        response: { 200: KycValues },
        tags,
        summary: 'Look at the data of an identity check',
        description: 'The values of the given fields. The audit log has each look of a person.',
      },
      config: { ...writing, ignoresKey: true },
    },
    async (request, reply) => {
      void reply.header('cache-control', 'no-store');
      return await revealKyc(deps, callerOf(request), request.params.id);
    },
  );
}
