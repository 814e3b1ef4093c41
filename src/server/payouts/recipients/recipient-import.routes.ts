import { Type } from 'typebox';
import { RecipientImport } from '../../../api/recipient.ts';
import { OneOf } from '../../../api/schema.ts';
import { PayError } from '../../../core/error.ts';
import { callerOf, scopeOf } from '../../platform/http/access/caller.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { destinationContext, type RecipientDeps } from './recipient.service.ts';
import { writeImport } from './recipient-import.service.ts';
import { importColumns, readImport } from './recipient-import.ts';

const path = '/v1/recipients/import';
const longestFile = 16 * 1024 * 1024;
const columns = [...importColumns.required, ...importColumns.optional].map(column => `\`${column}\``).join(', ');

/** `POST /v1/recipients/import`: the only recipient route that accepts CSV instead of JSON. */
export function registerRecipientImport(app: HttpApp, deps: RecipientDeps): void {
  void app.register(async (scope: HttpApp) => {
    acceptCsvOnly(scope);
    registerImport(scope, deps);
  });
}

function acceptCsvOnly(scope: HttpApp): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('text/csv', { parseAs: 'buffer' }, (request, bytes, done) => {
    request.rawBody = bytes as Buffer;
    done(null, undefined);
  });
  scope.addContentTypeParser('*', (_request, _payload, done) => {
    done(new PayError('unsupported_media_type', 'Send the file with Content-Type: text/csv.'));
  });
}

function registerImport(scope: HttpApp, deps: RecipientDeps): void {
  scope.post(
    path,
    {
      schema: {
        querystring: Type.Object({
          on_error: Type.Optional(
            OneOf(['reject_all', 'skip_invalid'], {
              description:
                '`reject_all` (default): one wrong row refuses all. `skip_invalid`: the others are imported.',
            }),
          ),
        }),
        response: { 200: RecipientImport },
        tags: ['Recipients'],
        consumes: 'text/csv',
        summary: 'Import recipients from CSV',
        description:
          'The body is a file in UTF-8 with `Content-Type: text/csv`, of at most 10,000 rows and 16 MiB, separated by ' +
          `commas, semicolons or tabs. Its first row names the columns: ${columns}, and \`metadata.…\` for any key. ` +
          '`name` and `type` are required. A row with the `reference` of an existing recipient changes that recipient: filled ' +
          'cells replace its fields, and the destination becomes its default. Wrong rows are listed with `index`, from 0, ' +
          'and their field, such as `rows[57].destination.iban`.',
      },
      config: { access: 'secret', scope: 'recipients:write', maxBody: longestFile },
    },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const caller = callerOf(request);
        const file = await readImport(request.rawBody ?? new Uint8Array(), destinationContext(deps));
        const onError = request.query.on_error ?? 'reject_all';
        return await execution.commit(async tx => {
          const body = await writeImport(tx, scopeOf(caller), { ...file, onError, now: caller.now });
          return { status: 200, body };
        });
      }),
  );
}
