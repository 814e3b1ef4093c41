import type { FastifyInstance } from 'fastify';
import { PayError } from '../../../core/error.ts';
import type {} from '../http/access/caller.ts';
import { sendSitePage } from '../pages/site-document.ts';
import type { MailRow } from './mail.store.ts';
import type { MailSheet } from './mail-layout.ts';
import type { DrawnDocument } from './mail-message.ts';
import { outboxMailPage, outboxPage, outboxPath } from './outbox-page.ts';

/** What the outbox shows. */
export interface OutboxDeps {
  readonly newest: () => Promise<readonly MailRow[]>;
  readonly find: (mailId: string) => Promise<MailRow | null>;
  /** The mail as its reader sees it. */
  readonly sheet: (mail: MailRow) => Promise<MailSheet>;
  /** Its HTML with its pictures inside. */
  readonly render: (mail: MailRow) => Promise<string>;
  /** Null: what the mail was about is over. */
  readonly draw: (mail: MailRow, attachment: MailRow['attachments'][number]) => Promise<DrawnDocument | null>;
  readonly sending: boolean;
}

const options = { schema: { hide: true }, config: { access: 'public' } } as const;

/** A mail may be looked at and its links opened beside it; nothing in it runs and nothing is loaded. */
const messagePolicy = [
  'sandbox allow-popups allow-popups-to-escape-sandbox',
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

/**
 * `/sandbox/outbox`: the mails of test mode, to look at. Open to whoever reaches the server, as all of the sandbox’s outside
 * world is: nothing in it is real.
 */
export function registerOutboxRoutes(app: FastifyInstance, deps: OutboxDeps): void {
  const find = async (mailId: string) => {
    const mail = await deps.find(mailId);
    if (mail === null) throw new PayError('resource_missing', `There is no mail ${mailId}.`, { param: 'id' });
    return mail;
  };
  app.get(outboxPath, options, async (_, reply) => sendSitePage(reply, outboxPage(await deps.newest(), deps.sending)));
  app.get<{ Params: { id: string } }>(`${outboxPath}/:id`, options, async (request, reply) => {
    const mail = await find(request.params.id);
    return sendSitePage(reply, outboxMailPage(mail, await deps.sheet(mail)));
  });
  app.get<{ Params: { id: string } }>(`${outboxPath}/:id/message`, options, async (request, reply) => {
    const markup = await deps.render(await find(request.params.id));
    return reply
      .removeHeader('x-frame-options')
      .header('content-security-policy', messagePolicy)
      .type('text/html; charset=utf-8')
      .send(markup);
  });
  app.get<{ Params: { id: string; index: string } }>(
    `${outboxPath}/:id/documents/:index`,
    options,
    async (request, reply) => {
      const mail = await find(request.params.id);
      const attachment = mail.attachments[Number(request.params.index)];
      const drawn = attachment === undefined ? null : await deps.draw(mail, attachment);
      if (drawn === null)
        throw new PayError('resource_missing', 'The mail has no such document any more.', { param: 'index' });
      const filename = encodeURIComponent(drawn.filename);
      return reply
        .header('content-disposition', `inline; filename*=UTF-8''${filename}`)
        .type(drawn.contentType)
        .send(Buffer.from(drawn.bytes));
    },
  );
}
