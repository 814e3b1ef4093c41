import type { SitePage } from '../pages/landing-page.ts';
import { html, type Insert, type Markup } from '../pages/page-html.ts';
import type { MailRow, TestMailLine } from './mail.store.ts';

export const outboxPath = '/sandbox/outbox';

/** The displayed status of a mail. */
const states: Readonly<Record<MailRow['status'], string>> = {
  queued: 'Waiting',
  sent: 'Sent',
  kept: 'Kept here',
  canceled: 'Not mailed',
  failed: 'Failed',
};

/** A page of the outbox. `text`: the visitor's search text, or blank. */
export interface OutboxList {
  readonly mails: readonly TestMailLine[];
  readonly text: string;
  readonly hasMore: boolean;
  readonly isSending: boolean;
  /** Whether the visitor may see mails that give access to the dashboard. */
  readonly isComplete: boolean;
}

export function outboxPage(list: OutboxList): SitePage {
  const { mails, text, isSending, isComplete } = list;
  return page(
    'Outbox',
    html`<h1>Outbox</h1>
      <p class="lead">${
        isSending
          ? 'The mails of test mode. The mail server of the setting SMTP_URL also sends them.'
          : 'The mails of test mode. There is no mail server, so they are kept here. Set SMTP_URL to send them.'
      }</p>
      ${!isComplete && html`<p class="quiet">Invitations and mails for a new password are shown on the server’s own machine only.</p>`}
      <form class="mail-search" role="search" action="${outboxPath}">
        <label for="mail-search">Subject or recipient</label>
        <input id="mail-search" type="search" name="q" value="${text}" maxlength="200" autocomplete="off">
        <button class="button second" type="submit">Search</button>
        ${text !== '' && html`<a href="${outboxPath}">Show all</a>`}
      </form>
      <section class="card">${mails.length === 0 ? nothing(text) : html`<ul class="mails">${mails.map(line)}</ul>`}</section>
      ${olderLink(list)}`,
  );
}

function nothing(text: string): Markup {
  return text === ''
    ? html`<p class="quiet">No mail yet. Send an invoice, and it will be here.</p>`
    : html`<p class="quiet">No mail has “<bdi>${text}</bdi>” in its subject or recipient.</p>`;
}

function olderLink({ mails, text, hasMore }: OutboxList): Markup | false {
  const last = mails.at(-1);
  if (!hasMore || last === undefined) return false;
  const query = new URLSearchParams({ ...(text !== '' && { q: text }), before: last.id });
  return html`<p class="actions"><a class="button second" href="${`${outboxPath}?${query}`}">Older mails</a></p>`;
}

/** The page of one mail: its head, its HTML in a sandboxed frame, and its text. */
export function outboxMailPage(mail: MailRow, text: string): SitePage {
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
        ${mail.last_error && html`<dt>Last error</dt><dd>${mail.last_error}</dd>`}
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

function line(mail: TestMailLine): Markup {
  return html`<li><a href="${outboxPath}/${mail.id}">
    <b><bdi>${mail.subject}</bdi></b>${state(mail)}
    <span class="quiet">${recipient(mail)}</span><span class="label">${mail.attachments.length > 0 && html`${attached(mail.attachments.length)} · `}${time(mail.created_at)}</span>
  </a></li>`;
}

function attached(count: number): string {
  return count === 1 ? '1 document' : `${count} documents`;
}

function state({ status }: Pick<MailRow, 'status'>): Markup {
  return html`<span class="state ${status}">${states[status]}</span>`;
}

function recipient({ to_name: name, to_email: email }: TestMailLine): Insert {
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
    searching: true,
    body: html`<div class="home">
      <header>
        <img src="/favicon.svg" alt="" width="32" height="32"><span>pay-checkout</span><span class="mode">Sandbox</span>
      </header>
      <main>${body}</main>
    </div>`,
  };
}
