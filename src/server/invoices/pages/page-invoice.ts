import { currencyDecimals } from '../../../core/currency.ts';
import { unpaidOf } from '../../../core/invoice/invoice-installments.ts';
import { fill, printedLocale } from '../../../core/locale/locale.ts';
import { dateText, moneyText } from '../../../core/locale/locale-format.ts';
import { pageDocument, pageLanguage } from '../../platform/pages/page-document.ts';
import { figure, html, type Insert, type Markup } from '../../platform/pages/page-html.ts';
import { languageSwitcher } from '../../platform/pages/page-locale.ts';
import { largeAmount, payeeLogo, supportLink } from '../../platform/pages/payee-parts.ts';
import { type InvoiceContext, type InvoiceView, installmentName, invoiceSheet } from './page-invoice-sheet.ts';

/** The page of an invoice: status, content, and a form to pay all or a part. The page is readable without scripts. */
export function invoicePage(view: InvoiceView): Markup {
  const { document, merchant, strings } = view;
  const { locale, currency, number } = document;
  const context: InvoiceContext = {
    view,
    document,
    strings,
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

/** Payee, amount, due date and files. */
function summary(context: InvoiceContext): Markup {
  const { view, document, strings, money } = context;
  const { status, total, amountRemaining, number } = document;
  const amount = money(view.isPayable ? amountRemaining : total);
  const isLess = view.isPayable && amountRemaining < total;
  return html`<header class="summary">
    <h1>${payeeLogo(view.merchant, 32)}<span><bdi class="name">${view.merchant.name}</bdi>
      <span class="number">${fill(strings.heading, { number: number ?? '' })}</span></span></h1>
    ${largeAmount({ amount, currency: document.currency, note: isLess && strings.stillLeft })}
    <p class="about"><span class="status ${status}">${statusText(context)}</span> ${dueLine(context)}</p>
    ${progress(context)}
    ${files(context)}
  </header>`;
}

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
  const left = next ? unpaidOf(next) : document.amountRemaining;
  const isPart = left < document.amountRemaining;
  const isOver = document.status === 'overdue';
  const sentence = isOver
    ? isPart
      ? strings.partOverdue
      : strings.overdueSince
    : isPart
      ? strings.partDue
      : strings.dueOn;
  const isThisYear = day.slice(0, 4) === view.today.slice(0, 4);
  const shortly = isThisYear ? dateText(day, document.locale, 'day') : date(day);
  return html`<span>${fill(sentence, { amount: money(left), date: shortly })}</span>`;
}

/** The paid share, shown after the first payment. */
function progress({ view, document, strings, money }: InvoiceContext): Insert {
  const { amountPaid, amountRemaining } = document;
  const total = amountPaid + amountRemaining;
  // Credit that was used at sending is not a payment of the customer.
  if (!view.isPayable || amountPaid === view.history.creditUsed) return null;
  const words = fill(strings.paidOf, { paid: money(amountPaid), total: money(total) });
  return html`<div class="progress">
    <progress value="${String(amountPaid)}" max="${String(total)}" aria-label="${words}"></progress>
    <p aria-hidden="true">${words}</p>
  </div>`;
}

/** The payment form, or the reason why no payment is possible. */
function paymentPart(context: InvoiceContext): Insert {
  const { view, document } = context;
  if (view.isPayable) return payForm(context);
  const { status } = document;
  if (status === 'paid' || status === 'void' || status === 'uncollectible') return ending(context, status);
  return null;
}

function ending({ view, strings, money }: InvoiceContext, status: 'paid' | 'void' | 'uncollectible'): Markup {
  const { creditKept, received } = view.history;
  const values = { merchant: view.merchant.name, total: money(received) };
  return html`<section class="payment" aria-label="${strings.payment}">
    <div class="card end ${status}">
      <span class="badge" aria-hidden="true"></span>
      <h2>${strings[`${status}Title`]}</h2>
      <p>${fill(strings[`${status}Text`], values)}</p>
      ${creditKept > 0n && html`<p>${fill(strings.creditKeptText, { amount: money(creditKept) })}</p>`}
    </div>
  </section>`;
}

/** An amount that may be paid now, in minor units. */
interface Choice {
  readonly name: string;
  readonly amount: bigint;
}

/** The choices: first the next due part, because most payers choose it, then the whole amount. */
function choicesOf(context: InvoiceContext): readonly Choice[] {
  const { document, strings } = context;
  const all = { name: strings.payAll, amount: document.amountRemaining };
  const at = document.installments.findIndex(({ status }) => status !== 'paid');
  const next = document.installments[at];
  if (next === undefined) return [all];
  const amount = unpaidOf(next);
  return amount < all.amount ? [{ name: installmentName(context, at), amount }, all] : [all];
}

/**
 * The form for the amount, with the script's texts and limits as data. The script later replaces it with the checkout.
 */
function payForm(context: InvoiceContext): Markup {
  const { document, view, strings, money } = context;
  const [first, ...others] = choicesOf(context);
  const hasChoice = others.length > 0 || view.allowPartial;
  return html`<section class="payment" aria-label="${strings.payment}">
    <form class="card" novalidate data-currency="${document.currency}" data-decimals="${currencyDecimals(document.currency)}"
      data-locale="${printedLocale(document.locale)}" data-most="${String(document.amountRemaining)}" data-pay="${strings.pay}"
      data-missing="${strings.otherMissing}" data-wrong="${strings.otherWrong}"
      data-much="${fill(strings.otherTooMuch, { max: money(document.amountRemaining) })}" data-email="${strings.emailWrong}" data-failed="${strings.failed}"
      data-moved="${strings.moved}" data-starting="${strings.starting}" data-reload="${strings.reload}" data-change="${strings.change}"
      data-rest="${strings.rest}" data-left="${strings.stillLeft}">
      ${
        hasChoice &&
        html`<fieldset><legend>${strings.payHow}</legend>
        ${[first, ...others].map((choice, index) => choice && choiceRow(choice, index === 0, context))}
        ${view.allowPartial && ownAmount(context)}
      </fieldset>`
      }
      ${view.asksForEmail && emailField(context)}
      ${hasChoice ? null : html`<input type="hidden" name="amount" value="${String(first?.amount ?? 0n)}">`}
      <p class="wrong" role="alert"></p>
      <button class="main" type="submit" ${view.isPreview && html`disabled`}>${fill(strings.pay, { amount: money(first?.amount ?? 0n) })}</button>
    </form>
    <noscript><p class="no-script">${strings.noScript}</p></noscript>
  </section>`;
}

function choiceRow({ name, amount }: Choice, isFirst: boolean, { money }: InvoiceContext): Markup {
  return html`<label class="choice"><input type="radio" name="amount" value="${String(amount)}" ${isFirst && html`checked`}>
    <span>${name}</span> ${figure(money(amount))}</label>`;
}

function ownAmount({ document, strings, money }: InvoiceContext): Markup {
  return html`<label class="choice"><input type="radio" name="amount" value=""> <span>${strings.payOther}</span></label>
    <div class="own" hidden>
      <label for="own">${fill(strings.otherAmount, { currency: document.currency })}</label>
      <input id="own" inputmode="decimal" autocomplete="off" maxlength="30" dir="ltr" aria-describedby="own-hint">
      <p class="hint" id="own-hint">${fill(strings.otherHint, { max: money(document.amountRemaining) })}</p>
    </div>`;
}

/** The payer's address for the receipt, if the invoice has none. */
function emailField({ strings }: InvoiceContext): Markup {
  return html`<div class="own">
    <label for="email">${strings.email}</label>
    <input id="email" name="email" type="email" autocomplete="email" maxlength="254" dir="ltr" aria-describedby="email-hint">
    <p class="hint" id="email-hint">${strings.emailHint}</p>
  </div>`;
}

/** The footer with the merchant's support contact. */
function footer({ view, document, strings }: InvoiceContext): Markup {
  const { name, supportEmail, supportUrl } = view.merchant;
  const link = supportLink({ supportUrl, supportEmail: document.seller.email ?? supportEmail });
  return html`<footer>
    <p>${strings.help} ${link ?? fill(strings.helpMerchant, { merchant: name })}</p>
    ${document.livemode ? null : html`<p class="mode">${strings.testMode}</p>`}
    ${languageSwitcher(document.locale, view.language, view.isPreview ? 'preview' : '')}
  </footer>`;
}
