import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { PayError } from '../../../core/error.ts';
import { isOnOwnMachine } from '../http/access/visitor.ts';
import type { HttpApp } from '../http/http-app.ts';
import { sendSitePage } from '../pages/landing-page.ts';
import type { MailSweepDeps } from './mail.jobs.ts';
import { findTestMail, listTestMails } from './mail.store.ts';
import { sheetOf } from './mail-layout.ts';
import { sendSheet } from './mail-sheet.ts';
import { outboxMailPage, outboxPage, outboxPath } from './outbox-pages.ts';

interface OutboxDeps extends Pick<MailSweepDeps, 'db' | 'documents' | 'findMerchant'> {
  /** Whether there is a mail server. It then also sends the mails of test mode. */
  readonly isSending: boolean;
  readonly publicUrl: () => string;
}

/** Number of mails on a page of the outbox. */
const shownMails = 100;

const config = { access: 'public' } as const;
const options = { schema: { params: Type.Object({ id: Type.String() }), hide: true }, config };
const OutboxQuery = Type.Object({
  q: Type.Optional(Type.String({ maxLength: 200 })),
  before: Type.Optional(Type.String({ maxLength: 64 })),
});
const DocumentParams = Type.Object({ id: Type.String(), index: Type.String() });

/**
 * `/sandbox/outbox` shows the mails of test mode to everyone: nothing in the sandbox is real. Mails that give access to
 * the dashboard are shown on the server's own machine only. Elsewhere, anyone could request one and read it here.
 */
export function registerOutboxRoutes(app: HttpApp, deps: OutboxDeps): void {
  const mayRead = (request: FastifyRequest) => ({ withAccess: isOnOwnMachine(request, deps.publicUrl()) });
  const find = async (request: FastifyRequest, mailId: string) => {
    const mail = await findTestMail(deps.db, { id: mailId, ...mayRead(request) });
    if (mail === null) throw new PayError('resource_missing', `There is no mail ${mailId}.`, { param: 'id' });
    return mail;
  };
  app.get(outboxPath, { schema: { querystring: OutboxQuery, hide: true }, config }, async (request, reply) => {
    const { q = '', before } = request.query;
    const text = q.trim();
    const older = before === undefined ? null : await find(request, before);
    const search = { text, older, limit: shownMails + 1, ...mayRead(request) };
    const mails = await listTestMails(deps.db, search);
    const hasMore = mails.length > shownMails;
    const list = { text, hasMore, isSending: deps.isSending, isComplete: search.withAccess };
    return sendSitePage(reply, outboxPage({ ...list, mails: mails.slice(0, shownMails) }));
  });
  app.get(`${outboxPath}/:id`, options, async (request, reply) => {
    const mail = await find(request, request.params.id);
    const { text } = sheetOf(mail, await deps.findMerchant(mail.merchant_id));
    return sendSitePage(reply, outboxMailPage(mail, text));
  });
  app.get(`${outboxPath}/:id/message`, options, async (request, reply) => {
    const mail = await find(request, request.params.id);
    return await sendSheet(reply, mail, await deps.findMerchant(mail.merchant_id));
  });
  app.get(
    `${outboxPath}/:id/documents/:index`,
    { schema: { params: DocumentParams, hide: true }, config },
    async (request, reply) => {
      const mail = await find(request, request.params.id);
      const attachment = mail.attachments[Number(request.params.index)];
      const drawn = attachment && (await deps.documents.draw({ ...mail, clock: mail.created_at }, attachment));
      if (drawn === undefined || typeof drawn === 'string')
        throw new PayError('resource_missing', 'The mail no longer has this document.', { param: 'index' });
      const filename = encodeURIComponent(drawn.filename);
      return reply
        .header('content-disposition', `inline; filename*=UTF-8''${filename}`)
        .type(drawn.contentType)
        .send(Buffer.from(drawn.bytes));
    },
  );
}
