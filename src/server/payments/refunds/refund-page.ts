import { lengthClass } from '../../../core/locale/length-class.ts';
import { fill } from '../../../core/locale/locale.ts';
import type { StringTables } from '../../../core/locale/string-areas.ts';
import { unitOf, unitText } from '../../../core/unit.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { pageDocument, pageLanguage } from '../../platform/pages/page-document.ts';
import { html, type Insert, type Markup } from '../../platform/pages/page-html.ts';
import { payeeLogo, supportLink } from '../../platform/pages/payee-parts.ts';
import type { PageFiles } from '../../platform/pages/static-files.ts';
import type { RefundClaim } from './refund-claim.service.ts';

type Strings = StringTables['refund-page'];

/** The content of a refund's page. */
interface RefundView extends RefundClaim {
  readonly merchant: Merchant;
  readonly strings: Strings;
  readonly files: PageFiles;
  readonly brandStyles: string | null;
  /** The payer's last entry, or null. */
  readonly entry: RefundEntry | null;
}

/** The destination and memo that a payer entered. */
export interface RefundEntry {
  readonly address: string;
  readonly memo: string;
  readonly memoType: string;
  /** A key of the page's error texts, or null for an accepted entry. */
  readonly error: string | null;
}

/** The page where a payer enters the destination of a refund and sees its progress. It needs no script. */
export function refundPage(view: RefundView): Markup {
  const { merchant, strings } = view;
  const texts = sumTexts(view);
  const amount = texts.join(strings.and);
  const [longest = ''] = texts.toSorted((a, b) => b.length - a.length);
  return pageDocument({
    language: pageLanguage(merchant.locale),
    title: fill(strings.title, { merchant: merchant.name, amount }),
    icon: merchant.branding.icon,
    styles: [...view.files.styles, ...(view.brandStyles === null ? [] : [view.brandStyles])],
    scripts: html`<script type="module" src="${view.files.script}"></script>`,
    body: html`<main class="page" data-state="${view.state}" data-font="${merchant.branding.font}" data-border="${merchant.branding.border_style}">
      <header>
        <h1>${payeeLogo(merchant, 32)} <bdi class="name">${fill(strings.heading, { merchant: merchant.name })}</bdi></h1>
        <p class="amount ${lengthClass(longest)}"><bdi>${amount}</bdi></p>
      </header>
      ${card(view, amount)}
      ${view.livemode ? null : html`<p class="mode">${strings.testMode}</p>`}
      ${footer(merchant, strings)}
    </main>`,
  });
}

/** Each amount as `12.50 USDC`, with at least two decimals. Omits the issuer, which does not help payers. */
function sumTexts({ sums }: RefundView): string[] {
  const trimmed = (amount: string) => amount.replace(/(\.\d{2}\d*?)0+$/, '$1');
  return sums.map(({ asset, amount }) => `${trimmed(unitText(amount, asset))} ${unitOf(asset).code}`);
}

function card(view: RefundView, amount: string): Markup {
  const { strings } = view;
  if (view.state === 'waiting') return claimForm(view, amount);
  const texts = {
    sending: [strings.sending, strings.sendingText],
    sent: [strings.sent, strings.sentText],
    failed: [strings.failed, fill(strings.failedText, { merchant: view.merchant.name })],
  } as const;
  const [title, text] = texts[view.state];
  return html`<section class="card" role="status">
    <h2><span class="mark" aria-hidden="true"></span> ${title}</h2>
    <p>${text}</p>
    ${view.state === 'failed' ? null : facts(view)}
  </section>`;
}

function facts({ address, transactions, strings }: RefundView): Insert {
  const rows = [
    ...(address === null ? [] : [[strings.to, address]]),
    ...transactions.map(hash => [strings.transaction, hash]),
  ];
  if (rows.length === 0) return null;
  return html`<dl>${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd dir="ltr">${value}</dd></div>`)}</dl>`;
}

function claimForm(view: RefundView, amount: string): Markup {
  const { entry, sums, strings, reason } = view;
  const [sum] = sums;
  const asset = sum === undefined ? '' : unitOf(sum.asset).code;
  const isMemoWrong = entry?.error === 'memo' || entry?.error === 'memo_required';
  const error = entry?.error ? sentence(strings.errors, entry.error, asset) : null;
  const why = reason === null ? strings.reasons.unknown : sentence(strings.reasons, reason, asset);
  return html`<section class="card" aria-label="${strings.form}">
    <p class="why">${why} <b>${strings.ask}</b></p>
    <form method="post" novalidate>
      ${field({ name: 'address', label: strings.address, hint: strings.addressHint, value: entry?.address ?? '', error: isMemoWrong ? null : error })}
      ${memoPart(view, isMemoWrong ? error : null)}
      <button>${fill(strings.send, { amount })}</button>
      <p class="careful">${strings.careful}</p>
    </form>
  </section>`;
}

/** The optional memo fields. They are collapsed at first, because most payers need no memo. */
function memoPart({ entry, strings }: RefundView, error: string | null): Markup {
  const isOpen = error !== null || (entry !== null && entry.memo !== '');
  const chosen = entry?.memoType ?? 'text';
  return html`<details ${isOpen && html`open`}>
    <summary>${strings.withMemo}</summary>
    ${field({ name: 'memo', label: strings.memo, hint: strings.memoHint, value: entry?.memo ?? '', error })}
    <fieldset>
      <legend>${strings.memoType}</legend>
      ${Object.entries(strings.memoTypes).map(
        ([type, label]) =>
          html`<label><input type="radio" name="memo_type" value="${type}" ${type === chosen && html`checked`}> ${label}</label>`,
      )}
    </fieldset>
  </details>`;
}

/** The text for the key, or the general text. */
function sentence(sentences: Readonly<Record<string, string>>, key: string, asset: string): string {
  const text = (Object.hasOwn(sentences, key) ? sentences[key] : undefined) ?? sentences['other'] ?? '';
  return fill(text, { asset });
}

interface Field {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly error: string | null;
}

function field({ name, label, hint, value, error }: Field): Markup {
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <input id="${name}" name="${name}" value="${value}" maxlength="200" autocomplete="off" autocapitalize="off" spellcheck="false" dir="ltr" aria-describedby="${name}-hint ${name}-error" ${error !== null && html`aria-invalid="true"`}>
    <p class="hint" id="${name}-hint">${hint}</p>
    <p class="error" id="${name}-error" role="alert">${error}</p>
  </div>`;
}

function footer(merchant: Merchant, strings: Strings): Markup {
  const way = supportLink(merchant) ?? fill(strings.helpShop, { merchant: merchant.name });
  return html`<footer>${strings.help} ${way}</footer>`;
}
