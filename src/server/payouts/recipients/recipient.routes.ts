import { Type } from 'typebox';
import { CreateRecipient, Recipient, UpdateRecipient } from '../../../api/recipient.ts';
import { Country, Deleted, ListOf, ListQuery } from '../../../api/schema.ts';
import { callerOf, scopeOf } from '../../platform/http/access/caller.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { listAnswer, parseListQuery } from '../../platform/http/list.ts';
import {
  createRecipient,
  deleteRecipient,
  draftRecipient,
  type RecipientDeps,
  updateRecipient,
} from './recipient.service.ts';
import { listRecipients, readRecipient } from './recipient.store.ts';
import { recipientToWire } from './recipient.ts';
import { registerRecipientImport } from './recipient-import.routes.ts';

const tags = ['Recipients'];
const path = '/v1/recipients';
const reading = { access: 'secret', scope: 'recipients:read' } as const;
const writing = { access: 'secret', scope: 'recipients:write' } as const;
const params = Type.Object({ id: Type.String({ maxLength: 64 }) });

/** Routes under `/v1/recipients`. */
export function registerRecipientRoutes(app: HttpApp, deps: RecipientDeps): void {
  registerCreate(app, deps);
  registerList(app, deps);
  registerRead(app, deps);
  registerUpdate(app, deps);
  registerDelete(app, deps);
  registerRecipientImport(app, deps);
}

function registerCreate(app: HttpApp, deps: RecipientDeps): void {
  app.post(
    path,
    {
      schema: {
        body: CreateRecipient,
        response: { 201: Recipient },
        tags,
        summary: 'Create a recipient',
        description:
          'Each destination is checked: IBAN, routing and account numbers by their check digits, phone numbers by their ' +
          'country, addresses by their chain, memos by their type. The response to a wrong one is 400 with a specific code ' +
          '(`invalid_iban`, `invalid_phone_number`, `invalid_address` …) and the field in `param`. The first destination ' +
          'is the default. `reference` is your own id of the recipient; each recipient needs a different one.',
      },
      config: writing,
    },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const record = draftRecipient(deps, callerOf(request), request.body);
        const { id } = record.recipient;
        return await execution.commit(async tx => {
          await createRecipient(tx, record);
          return { status: 201, body: recipientToWire(record), location: `${path}/${id}`, resourceId: id };
        });
      }),
  );
}

const RecipientQuery = Type.Object({
  ...ListQuery.properties,
  type: Type.Optional(Recipient.properties.type),
  country: Type.Optional(Country),
  reference: Type.Optional(Type.String({ maxLength: 100 })),
});

function registerList(app: HttpApp, deps: RecipientDeps): void {
  app.get(
    path,
    {
      schema: { querystring: RecipientQuery, response: { 200: ListOf(Recipient) }, tags, summary: 'List recipients' },
      config: reading,
    },
    async request => {
      const page = await listRecipients(
        deps.db,
        scopeOf(callerOf(request)),
        request.query,
        parseListQuery(request.query),
      );
      return listAnswer(path, page, recipientToWire);
    },
  );
}

function registerRead(app: HttpApp, deps: RecipientDeps): void {
  app.get(
    `${path}/:id`,
    { schema: { params, response: { 200: Recipient }, tags, summary: 'Read a recipient' }, config: reading },
    async request => recipientToWire(await readRecipient(deps.db, scopeOf(callerOf(request)), request.params.id)),
  );
}

function registerUpdate(app: HttpApp, deps: RecipientDeps): void {
  app.patch(
    `${path}/:id`,
    {
      schema: {
        params,
        body: UpdateRecipient,
        response: { 200: Recipient },
        tags,
        summary: 'Change a recipient',
        description:
          'Absent fields stay unchanged. `destinations` replaces all of them; an equal one keeps its id and its ' +
          'verification. The first is the default unless `default_destination` names another. Existing payouts keep ' +
          'their destination.',
      },
      config: writing,
    },
    async request => recipientToWire(await updateRecipient(deps, callerOf(request), request.params.id, request.body)),
  );
}

function registerDelete(app: HttpApp, deps: RecipientDeps): void {
  app.delete(
    `${path}/:id`,
    {
      schema: {
        params,
        response: { 200: Deleted },
        tags,
        summary: 'Delete a recipient',
        description: 'Payouts to the recipient stay unchanged.',
      },
      config: writing,
    },
    async request => {
      const { id } = request.params;
      await deleteRecipient(deps, callerOf(request), id);
      return { id, object: 'recipient', deleted: true };
    },
  );
}
