import type {
  InvoiceBuyer,
  InvoiceDocument,
  InvoiceDocumentLine,
  InvoiceHistory,
  InvoiceInstallment,
  InvoiceSeller,
} from '../../../core/invoice/invoice-document.ts';
import { unpaidOf } from '../../../core/invoice/invoice-installments.ts';
import { fill } from '../../../core/locale/locale.ts';
import { moneyText, numberText, percentText } from '../../../core/locale/locale-format.ts';
import type { StringTables } from '../../../core/locale/string-areas.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { figure, html, type Insert, type Markup } from '../../platform/pages/page-html.ts';
import type { PageFiles } from '../../platform/pages/static-files.ts';

/** The content of an invoice page. */
export interface InvoiceView {
  /** A numbered invoice. */
  readonly document: InvoiceDocument;
  readonly merchant: Merchant;
  /** Whether the payer may pay any part of the amount. */
  readonly allowPartial: boolean;
  readonly isPayable: boolean;
  /** Whether the payer gives an e-mail address, because the invoice has none. */
  readonly asksForEmail: boolean;
  /** The merchant's date, `YYYY-MM-DD`. */
  readonly today: string;
  readonly history: InvoiceHistory;
  /** The token in the page's URL. */
  readonly token: string;
  /** Whether this is the merchant's preview. It does not count as a view, and payments are disabled. */
  readonly isPreview: boolean;
  /** The label of the list of languages. */
  readonly language: string;
  readonly strings: StringTables['invoice'];
  readonly files: PageFiles;
  /** Path of the script of the payment element. */
  readonly elementScript: string;
  /** Path of the style sheet with the merchant's colours. Null without such colours. */
  readonly brandStyles: string | null;
}

/** Values shared by the parts of the page. */
export interface InvoiceContext {
  readonly view: InvoiceView;
  readonly document: InvoiceDocument;
  readonly strings: StringTables['invoice'];
  readonly money: (amount: bigint) => string;
  readonly date: (day: string) => string;
}

/** The invoice itself: parties, lines, totals and plan. */
export function invoiceSheet(context: InvoiceContext): Markup {
  const { document, strings } = context;
  return html`<article class="card sheet" aria-label="${strings.details}">
    ${parties(context)} ${facts(context)}
    <h2>${strings.lines}</h2>
    <ul class="lines">${document.lines.map(line => lineRow(line, context))}</ul>
    ${sums(context)} ${exchange(context)} ${plan(context)}
    ${document.memo && html`<h2>${strings.memo}</h2><p class="words" dir="auto">${document.memo}</p>`}
    ${document.footer && html`<p class="words small" dir="auto">${document.footer}</p>`}
  </article>`;
}

function parties({ document: { seller, buyer }, strings }: InvoiceContext): Markup {
  return html`<div class="parties">
    <div><h2>${strings.from}</h2>${address(seller, strings.taxId)}</div>
    <div><h2>${strings.to}</h2>${address(buyer, strings.taxId)}</div>
  </div>`;
}

function address({ name, addressLines, taxId, email }: InvoiceSeller | InvoiceBuyer, taxIdText: string): Markup {
  const lines = [...addressLines, taxId && fill(taxIdText, { id: taxId }), email && breakable(email)].filter(Boolean);
  return html`<p class="address"><b><bdi>${name}</bdi></b>${lines.map(line => html`<span><bdi>${line}</bdi></span>`)}</p>`;
}

/** Allows a line break after the `@` of an e-mail address. */
function breakable(email: string): Markup {
  const domain = email.lastIndexOf('@') + 1;
  return html`${email.slice(0, domain)}<wbr>${email.slice(domain)}`;
}

function facts({ document, strings, date }: InvoiceContext): Markup {
  const { issueDate, dueDate, reference } = document;
  return rows('facts', [
    issueDate !== null && [strings.issued, date(issueDate)],
    dueDate !== null && [strings.due, date(dueDate)],
    reference !== null && [strings.reference, reference],
  ]);
}

function lineRow(line: InvoiceDocumentLine, { document, strings, money }: InvoiceContext): Markup {
  const { locale } = document;
  const values = { quantity: numberText(line.quantity, locale), unit: line.unit ?? '', price: money(line.unitAmount) };
  const notes = [
    line.quantity !== '1' || line.unit ? fill(line.unit ? strings.timesUnit : strings.times, values) : '',
    line.discount ? fill(strings.lineDiscount, { amount: money(line.discount.amount) }) : '',
    ...line.taxes.map(({ name, percent }) => fill(strings.lineTax, { name, percent: percentText(percent, locale) })),
  ].filter(Boolean);
  return html`<li>
    <p><span><bdi>${line.description}</bdi></span>${notes.map(note => html`<small><bdi>${note}</bdi></small>`)}</p>
    ${figure(money(line.subtotal))}
  </li>`;
}

/** The rows from the subtotal, which is the sum of the lines, to the remaining amount. */
function sums({ view, document, strings, money }: InvoiceContext): Markup {
  const { locale, discount, taxes, amountPaid, amountCredited } = document;
  const { creditKept, creditUsed } = view.history;
  const onLines = document.discountTotal - (discount?.amount ?? 0n);
  const percentOf = (percent: string) => percentText(percent, locale);
  const discountName = discount?.percent
    ? fill(strings.discountPercent, { percent: percentOf(discount.percent) })
    : strings.discount;
  const isMore = amountPaid > 0n || amountCredited > 0n;
  return rows(
    'sums',
    [
      [strings.subtotal, money(document.subtotal)],
      onLines !== 0n && [strings.lineDiscounts, money(-onLines)],
      discount !== null && [discountName, money(-discount.amount)],
      ...taxes.map(
        ({ name, percent, base, amount, inclusive }) =>
          [
            fill(inclusive ? strings.taxIncluded : strings.tax, {
              name,
              percent: percentOf(percent),
              base: money(base),
            }),
            money(amount),
          ] as const,
      ),
      [strings.total, money(document.total), 'total'],
      amountCredited > 0n && [strings.credited, money(-amountCredited)],
      creditUsed > 0n && [strings.creditUsed, money(-creditUsed)],
      amountPaid > creditUsed && [strings.paid, money(creditUsed - amountPaid)],
      isMore && [strings.left, money(document.amountRemaining), 'total'],
      creditKept > 0n && [strings.creditKept, money(creditKept)],
    ],
    figure,
  );
}

function exchange({ document: { exchangeRate, currency, locale }, strings, date }: InvoiceContext): Insert {
  if (exchangeRate === null) return null;
  const { rate, total } = exchangeRate;
  const values = {
    date: date(exchangeRate.date),
    from: currency,
    rate: numberText(rate, locale),
    to: exchangeRate.currency,
    total: moneyText(total, exchangeRate.currency, locale),
  };
  return html`<p class="words small">${fill(strings.exchangeRate, values)}</p>`;
}

function plan(context: InvoiceContext): Insert {
  const { installments } = context.document;
  if (installments.length === 0) return null;
  return html`<h2>${context.strings.plan}</h2>
    <ol class="plan">${installments.map((part, index) => planRow(part, installmentName(context, index), context))}</ol>`;
}

function planRow(part: InvoiceInstallment, name: string, { document, strings, money, date }: InvoiceContext): Markup {
  const status = document.status === 'void' ? 'void' : part.status;
  const words = status === 'void' ? strings.status.void : strings.installmentStatus[status];
  return html`<li>
    <p><span>${name}</span><small>${fill(strings.installmentDue, { date: date(part.dueDate) })}</small></p>
    <div>${figure(money(part.amount))} <span class="status ${status}">${fill(words, { amount: money(unpaidOf(part)) })}</span></div>
  </li>`;
}

/** The name of an instalment. The deposit has its own name and does not count in the numbers. */
export function installmentName({ document: { installments }, strings }: InvoiceContext, index: number): string {
  if (installments[index]?.kind === 'deposit') return strings.deposit;
  const deposits = installments.slice(0, index).filter(({ kind }) => kind === 'deposit').length;
  return fill(strings.installment, { number: index + 1 - deposits });
}

type Row = readonly [name: string, value: string, kind?: string];

function rows(kind: string, list: readonly (Row | false)[], draw = (text: string) => html`<bdi>${text}</bdi>`): Markup {
  return html`<dl class="${kind}">${list
    .filter(row => row !== false)
    .map(
      ([name, value, mark]) => html`<div class="${mark ?? ''}"><dt>${name}</dt><dd>${draw(value)}</dd></div>`,
    )}</dl>`;
}
