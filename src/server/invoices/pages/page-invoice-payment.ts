import { currencyDecimals } from '../../../core/currency.ts';
import { leftOf } from '../../../core/invoice/invoice-installments.ts';
import { fill } from '../../../core/locale/locale.ts';
import { figure, html, type Insert, type Markup } from '../../platform/pages/page-html.ts';
import { installmentName } from './page-invoice-sheet.ts';
import type { InvoiceContext } from './page-invoice-view.ts';

/** The place where it is paid, or what stands there when there is nothing to pay. */
export function paymentPart(context: InvoiceContext): Insert {
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

/** One sum that may be paid now. */
interface Choice {
  readonly name: string;
  readonly amount: bigint;
}

/** What is due next first, since that is what most have come for; then all; the payer's own amount is apart. */
function choicesOf(context: InvoiceContext): readonly Choice[] {
  const { document, strings } = context;
  const all = { name: strings.payAll, amount: document.amountRemaining };
  const at = document.installments.findIndex(({ status }) => status !== 'paid');
  const next = document.installments[at];
  if (next === undefined) return [all];
  const amount = leftOf(next);
  return amount < all.amount ? [{ name: installmentName(context, at), amount }, all] : [all];
}

/**
 * The form that says how much; the script then puts the checkout in its place. Words and bounds that the script needs
 * stand in its attributes.
 */
function payForm(context: InvoiceContext): Markup {
  const { document, view, strings, money } = context;
  const [first, ...others] = choicesOf(context);
  const hasChoice = others.length > 0 || view.allowPartial;
  return html`<section class="payment" aria-label="${strings.payment}">
    <form class="card" novalidate data-currency="${document.currency}" data-decimals="${currencyDecimals(document.currency)}"
      data-locale="${document.locale}" data-most="${String(document.amountRemaining)}" data-pay="${strings.pay}"
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
      ${document.buyer.email === null && emailField(context)}
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

/** For the receipt; not asked when the invoice has the address. */
function emailField({ strings }: InvoiceContext): Markup {
  return html`<div class="own">
    <label for="email">${strings.email}</label>
    <input id="email" name="email" type="email" autocomplete="email" maxlength="254" dir="ltr" aria-describedby="email-hint">
    <p class="hint" id="email-hint">${strings.emailHint}</p>
  </div>`;
}
