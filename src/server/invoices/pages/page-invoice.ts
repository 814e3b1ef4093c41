import { leftOf } from '../../../core/invoice/invoice-installments.ts';
import { lengthClass } from '../../../core/locale/length-class.ts';
import { fill } from '../../../core/locale/locale.ts';
import { dateText, moneyText } from '../../../core/locale/locale-format.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { pageDocument, pageLanguage } from '../../platform/pages/page-document.ts';
import { html, type Insert, type Markup } from '../../platform/pages/page-html.ts';
import { paymentPart } from './page-invoice-payment.ts';
import { invoiceSheet } from './page-invoice-sheet.ts';
import type { InvoiceContext, InvoiceView } from './page-invoice-view.ts';

/**
 * The page of an invoice: how it stands, the whole of it, and the way to pay all or a part. It can be read, and drawn as
 * a PDF, without any script.
 */
export function invoicePage(view: InvoiceView): Markup {
  const { document, merchant, strings } = view;
  const { locale, currency, number } = document;
  const context: InvoiceContext = {
    ...{ view, document, strings },
    money: amount => moneyText(amount, currency, locale),
    date: day => dateText(day, locale),
  };
  return pageDocument({
    language: pageLanguage(locale),
    title: fill(strings.title, { number: number ?? '', merchant: merchant.name }),
    icon: merchant.branding.icon,
    styles: [...view.files.styles, ...(view.brandStyles === null ? [] : [view.brandStyles])],
    scripts: html`${view.isPayable && html`<script src="${view.elementScript}" defer></script>`}
      <script type="module" src="${view.files.script}"></script>`,
    body: html`<main class="page" data-token="${view.token}" data-preview="${view.isPreview ? 'yes' : 'no'}" data-font="${merchant.branding.font}" data-border="${merchant.branding.border_style}">
      ${summary(context)} ${paymentPart(context)} ${invoiceSheet(context)} ${footer(context)}
    </main>`,
  });
}

/** Who asks, for how much, until when, and the invoice to take along. */
function summary(context: InvoiceContext): Markup {
  const { view, document, strings, money } = context;
  const { status, total, amountRemaining, number } = document;
  const amount = money(view.isPayable ? amountRemaining : total);
  const isLess = view.isPayable && amountRemaining < total;
  return html`<header class="summary">
    <h1>${logo(view.merchant)}<span><bdi class="name">${view.merchant.name}</bdi>
      <span class="number">${fill(strings.heading, { number: number ?? '' })}</span></span></h1>
    <p class="amount ${lengthClass(amount)}"><bdi>${amount}</bdi>${isLess && html` <small>${strings.stillLeft}</small>`}</p>
    <p class="about"><span class="status ${status}">${statusText(context)}</span> ${dueLine(context)}</p>
    ${progress(context)}
    ${files(context)}
  </header>`;
}

/** What there is to take along. */
function files({ view, strings, money, date }: InvoiceContext): Markup {
  const { lastReceived: last, creditNotes } = view.history;
  const file = (path: string, text: string) => html` <a href="/i/${view.token}/${path}" download>${text}</a>`;
  return html`<p class="files">${file('pdf', strings.pdf)}${
    last && file('receipt', fill(strings.receipt, { date: date(last.paidOn), amount: money(last.amount) }))
  }${creditNotes.map(({ id, number }) => file(`credit-notes/${id}`, fill(strings.creditNote, { number })))}</p>`;
}

function statusText({ document, strings }: InvoiceContext): string {
  return document.status === 'draft' ? '' : strings.status[document.status];
}

function dueLine({ view, document, strings, money, date }: InvoiceContext): Insert {
  const next = document.installments.find(({ status }) => status !== 'paid');
  const day = next?.dueDate ?? document.dueDate;
  if (!view.isPayable || day === null) return null;
  const left = next ? leftOf(next) : document.amountRemaining;
  const isPart = left < document.amountRemaining;
  const isOver = document.status === 'overdue';
  const sentence = isOver
    ? isPart
      ? strings.partOverdue
      : strings.overdueSince
    : isPart
      ? strings.partDue
      : strings.dueOn;
  return html`<span>${fill(sentence, { amount: money(left), date: date(day) })}</span>`;
}

/** How much of it is paid, once a part is. */
function progress({ view, document, strings, money }: InvoiceContext): Insert {
  const { amountPaid, amountRemaining } = document;
  const total = amountPaid + amountRemaining;
  // What credit paid is not what the reader has paid on this invoice.
  if (!view.isPayable || amountPaid === view.history.creditUsed) return null;
  const words = fill(strings.paidOf, { paid: money(amountPaid), total: money(total) });
  return html`<div class="progress">
    <progress value="${String(amountPaid)}" max="${String(total)}" aria-label="${words}"></progress>
    <p aria-hidden="true">${words}</p>
  </div>`;
}

function logo({ name, branding }: Merchant): Markup {
  if (branding.logo !== null) return html`<img class="logo" src="${branding.logo}" alt="" width="32" height="32">`;
  const [first] = new Intl.Segmenter().segment(name);
  return html`<span class="logo letter" aria-hidden="true">${(first?.segment ?? '').toUpperCase()}</span>`;
}

/** The way to the merchant's people. */
function footer({ view, document, strings }: InvoiceContext): Markup {
  const { name, supportEmail, supportUrl } = view.merchant;
  const email = document.seller.email ?? supportEmail;
  const way = supportUrl
    ? html`<a href="${supportUrl}" rel="noopener" target="_blank">${new URL(supportUrl).host}</a>`
    : email && html`<a href="mailto:${encodeURI(email)}">${email}</a>`;
  return html`<footer>
    <p>${strings.help} ${way || fill(strings.helpMerchant, { merchant: name })}</p>
    ${document.livemode ? null : html`<p class="mode">${strings.testMode}</p>`}
  </footer>`;
}
