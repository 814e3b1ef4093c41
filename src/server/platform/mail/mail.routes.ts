import { Type } from 'typebox';
import { Mail, MailDetails } from '../../../api/dashboard/mail.ts';
import { ListOf, ListQuery } from '../../../api/schema.ts';
import { addSeconds, type Clock } from '../../../core/clock.ts';
import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import type { Db } from '../db/database.ts';
import { callerOf, scopeOf } from '../http/access/caller.ts';
import type { HttpApp } from '../http/http-app.ts';
import type { Once } from '../http/idempotency/idempotent-execution.ts';
import { listAnswer, parseListQuery } from '../http/list.ts';
import type { Merchant } from '../merchant.ts';
import { type Secrets, sameText } from '../secrets.ts';
import { mailSweep } from './mail.jobs.ts';
import { listMails, type MailRow, readMail } from './mail.store.ts';
import { queueMail } from './mail.ts';
import { sheetOf } from './mail-layout.ts';
import { sendSheet } from './mail-sheet.ts';

export interface MailRouteDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly once: Once;
  readonly secrets: Pick<Secrets, 'timedToken'>;
  readonly findMerchant: (merchantId: string) => Promise<Merchant | null>;
  readonly wake: (sweep: string) => void;
}

const tags = ['Mails'];
const path = '/v1/mails';
const params = Type.Object({ id: Type.String({ maxLength: 64 }) });
const reading = { access: 'secret', scope: 'mails:read' } as const;
/** Seconds for which the URL of a mail's HTML works. */
const shownSeconds = 600;

/**
 * `/v1/mails`: the mails of a merchant. Omits invitations and mails for a new password, because their links give access
 * to the dashboard.
 */
export function registerMailRoutes(app: HttpApp, deps: MailRouteDeps): void {
  registerReads(app, deps);
  registerHtml(app, deps);
  app.post(
    `${path}/:id/resend`,
    {
      schema: {
        params,
        response: { 201: Mail },
        tags,
        summary: 'Send a mail again',
        description: 'Sends the same text to the same address as a new mail. Attached documents are drawn again.',
      },
      config: { access: 'secret', scope: 'mails:write' },
    },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const caller = callerOf(request);
        const mail = await readMail(deps.db, scopeOf(caller), request.params.id);
        assertResendable(mail);
        const dedupeKey = `resent:${newId('mail')}`;
        const answer = await execution.commit(async tx => {
          const { resource_type: type, resource_id: id, subject, content, attachments } = mail;
          await queueMail(tx, {
            merchantId: mail.merchant_id,
            livemode: mail.livemode,
            dedupeKey,
            now: caller.now,
            resource: { type, id },
            subject,
            content,
            attachments,
            replyTo: mail.reply_to,
            to: { name: mail.to_name, email: mail.to_email },
          });
          const made = await readMail(tx, scopeOf(caller), { dedupeKey });
          return { status: 201, body: mailToWire(made), location: `${path}/${made.id}`, resourceId: made.id };
        });
        deps.wake(mailSweep);
        return answer;
      }),
  );
}

function assertResendable({ status }: MailRow): void {
  if (status === 'queued') throw new PayError('illegal_state', 'This mail has not left yet. It is sent soon.');
  if (status !== 'canceled') return;
  throw new PayError('illegal_state', 'The reason of this mail has ended, so it is not sent.');
}

function registerReads(app: HttpApp, deps: MailRouteDeps): void {
  app.get(
    path,
    {
      schema: {
        querystring: Type.Object({ ...ListQuery.properties, status: Type.Optional(Mail.properties.status) }),
        response: { 200: ListOf(Mail) },
        tags,
        summary: 'List mails',
        description:
          'Mails to payers, customers and the merchant. Mails that let people into the dashboard are left out.',
      },
      config: reading,
    },
    async request => {
      const { status } = request.query;
      const page = await listMails(deps.db, scopeOf(callerOf(request)), { status }, parseListQuery(request.query));
      return listAnswer(path, page, mailToWire);
    },
  );
  app.get(
    `${path}/:id`,
    { schema: { params, response: { 200: MailDetails }, tags, summary: 'Read a mail' }, config: reading },
    async request => {
      const { merchant, ...caller } = callerOf(request);
      const mail = await readMail(deps.db, scopeOf({ merchant, ...caller }), request.params.id);
      const end = Math.floor(addSeconds(deps.clock.now(), shownSeconds).getTime() / 1000);
      const token = `${merchant.id}.${caller.livemode ? 'live' : 'test'}.${tokenOf(deps, mail, end)}`;
      const html_url = `${path}/${mail.id}/html?token=${token}`;
      return { ...mailToWire(mail), text: sheetOf(mail, merchant).text, html_url };
    },
  );
}

function tokenOf({ secrets }: MailRouteDeps, { merchant_id, id }: MailRow, end: number): string {
  return secrets.timedToken('mail', `${merchant_id} ${id}`, end);
}

/** Registers the HTML of a mail. A frame cannot send the session's headers, so the URL contains a token. */
function registerHtml(app: HttpApp, deps: MailRouteDeps): void {
  app.get(
    `${path}/:id/html`,
    {
      schema: { params, querystring: Type.Object({ token: Type.String({ maxLength: 300 }) }), hide: true },
      config: { access: 'public' },
    },
    async (request, reply) => {
      const [merchantId = '', mode, token = ''] = request.query.token.split('.');
      const end = Number.parseInt(token.split('-')[0] ?? '', 36);
      const gone = new PayError('mail_link_expired', 'This address has expired. Open the mail in the dashboard again.');
      if (!Number.isSafeInteger(end) || end * 1000 < deps.clock.now().getTime()) throw gone;
      const merchant = await deps.findMerchant(merchantId);
      if (merchant === null) throw gone;
      const scope = { merchantId, livemode: mode === 'live' };
      const mail = await readMail(deps.db, scope, request.params.id);
      if (!sameText(tokenOf(deps, mail, end), token)) throw gone;
      return await sendSheet(reply, mail, merchant);
    },
  );
}

function mailToWire(row: MailRow): Mail {
  return {
    id: row.id,
    object: 'mail',
    resource: row.resource_id,
    to: row.to_email,
    to_name: row.to_name,
    subject: row.subject,
    status: row.status,
    attempts: row.attempts,
    documents: row.attachments.length,
    error: row.last_error,
    ended_at: row.ended_at?.toISOString() ?? null,
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
  };
}
