import { Type } from 'typebox';
import { PayError } from '../../../core/error.ts';
import type {} from '../http/access/caller.ts';
import type { HttpApp } from '../http/http-app.ts';
import type { Merchant } from '../merchant.ts';
import { type SitePage, sendSitePage } from '../pages/landing-page.ts';
import { html, type Insert, type Markup } from '../pages/page-html.ts';
import type { MailSweepDeps } from './mail.jobs.ts';
import { findTestMail, type MailRow, newestTestMails } from './mail.store.ts';
import { logoCid, readLogo, sheetOf } from './mail-layout.ts';

interface OutboxDeps extends Pick<MailSweepDeps, 'db' | 'documents' | 'findMerchant'> {
  /** Whether a mail server exists. If so, it also sends the mails of test mode. */
  readonly isSending: boolean;
}

/** Mails on a page of the outbox. */
const shownMails = 100;

const config = { access: 'public' } as const;
const options = { schema: { params: Type.Object({ id: Type.String() }), hide: true }, config };
const DocumentParams = Type.Object({ id: Type.String(), index: Type.String() });

/** Links of a mail open in a new tab. Nothing in the mail runs, and it loads nothing. */
const messagePolicy = [
  'sandbox allow-popups allow-popups-to-escape-sandbox',
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

/** `/sandbox/outbox` shows the mails of test mode to everyone: nothing in the sandbox is real. */
export function registerOutboxRoutes(app: HttpApp, deps: OutboxDeps): void {
  const find = async (mailId: string) => {
    const mail = await findTestMail(deps.db, mailId);
    if (mail === null) throw new PayError('resource_missing', `There is no mail ${mailId}.`, { param: 'id' });
    return mail;
  };
  app.get(outboxPath, { schema: { hide: true }, config }, async (_, reply) =>
    sendSitePage(reply, outboxPage(await newestTestMails(deps.db, shownMails), deps.isSending)),
  );
  app.get(`${outboxPath}/:id`, options, async (request, reply) => {
    const mail = await find(request.params.id);
    const { text } = sheetOf(mail, await deps.findMerchant(mail.merchant_id));
    return sendSitePage(reply, outboxMailPage(mail, text));
  });
  app.get(`${outboxPath}/:id/message`, options, async (request, reply) => {
    const mail = await find(request.params.id);
    const markup = await withLogoInside(mail, await deps.findMerchant(mail.merchant_id));
    return reply
      .removeHeader('x-frame-options')
      .header('content-security-policy', messagePolicy)
      .type('text/html; charset=utf-8')
      .send(markup);
  });
  app.get(
    `${outboxPath}/:id/documents/:index`,
    { schema: { params: DocumentParams, hide: true }, config },
    async (request, reply) => {
      const mail = await find(request.params.id);
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

/** The mail as a mail program shows it: pictures inline, links in a new tab. */
async function withLogoInside(mail: MailRow, merchant: Merchant): Promise<string> {
  const { html } = sheetOf(mail, merchant);
  const picture = `src="cid:${logoCid}"`;
  const logo = html.includes(picture) ? await readLogo(merchant.branding.logo) : null;
  const source = logo === null ? 'data:,' : `data:${logo.contentType};base64,${logo.content.toString('base64')}`;
  return html.replace(picture, () => `src="${source}"`).replace('<head>', '<head><base target="_blank">');
}

const outboxPath = '/sandbox/outbox';

/** The displayed status of a mail. */
const states: Readonly<Record<MailRow['status'], string>> = {
  queued: 'Waiting',
  sent: 'Sent',
  kept: 'Kept here',
  canceled: 'Not needed any more',
  failed: 'Given up',
};

function outboxPage(mails: readonly MailRow[], isSending: boolean): SitePage {
  return page(
    'Outbox',
    html`<h1>Outbox</h1>
      <p class="lead">${
        isSending
          ? 'The mails of test mode. The mail server of the setting SMTP_URL also sends them.'
          : 'The mails of test mode. There is no mail server, so they are kept here. Set SMTP_URL to send them.'
      }</p>
      ${
        mails.length === 0
          ? html`<section class="card"><p class="quiet">No mail yet. Send an invoice, and it will be here.</p></section>`
          : html`<section class="card"><ul class="mails">${mails.map(line)}</ul></section>`
      }`,
  );
}

/** One mail: its head, its HTML in a sandboxed frame, its text. */
function outboxMailPage(mail: MailRow, text: string): SitePage {
  const path = `${outboxPath}/${mail.id}`;
  return page(
    mail.subject,
    html`<p><a href="${outboxPath}">Outbox</a></p>
      <h1 class="mail-title"><bdi>${mail.subject}</bdi></h1>
      <dl class="mail-facts">
        <dt>To</dt><dd>${recipient(mail)}</dd>
        ${mail.reply_to && html`<dt>Reply to</dt><dd>${mail.reply_to}</dd>`}
        <dt>Written</dt><dd>${time(mail.created_at)}</dd>
        <dt>State</dt><dd>${state(mail)}</dd>
        ${mail.last_error && html`<dt>Last trouble</dt><dd>${mail.last_error}</dd>`}
        ${
          mail.attachments.length > 0 &&
          html`<dt>Attached</dt><dd>${mail.attachments.map(
            ({ kind }, index) => html`<a href="${path}/documents/${index}">${kind}</a> `,
          )}</dd>`
        }
      </dl>
      <iframe class="mail-sheet" title="The mail as it is read" src="${path}/message" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>
      <section class="card"><h2>As text</h2><p class="mail-text">${text}</p></section>`,
  );
}

function line(mail: MailRow): Markup {
  return html`<li><a href="${outboxPath}/${mail.id}">
    <b><bdi>${mail.subject}</bdi></b>${state(mail)}
    <span class="quiet">${recipient(mail)}</span><span class="label">${time(mail.created_at)}</span>
  </a></li>`;
}

function state({ status }: MailRow): Markup {
  return html`<span class="state ${status}">${states[status]}</span>`;
}

function recipient({ to_name: name, to_email: email }: MailRow): Insert {
  return name === null ? email : html`<bdi>${name}</bdi> ${`<${email}>`}`;
}

function time(moment: Date): Markup {
  const text = moment.toISOString();
  return html`<time datetime="${text}">${text.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

function page(title: string, body: Markup): SitePage {
  return {
    title: `${title} · pay-checkout`,
    description: 'The mails of test mode.',
    framing: true,
    body: html`<div class="home">
      <header>
        <img src="/favicon.svg" alt="" width="32" height="32"><span>pay-checkout</span><span class="mode">Sandbox</span>
      </header>
      <main>${body}</main>
    </div>`,
  };
}
