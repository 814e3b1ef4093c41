import { html, nothing, type TemplateResult } from 'lit';
import type { CreateRamp, CreateRampQuote, RampQuote } from '../../api/ramps/ramp.ts';
import { isEmail } from '../../core/email.ts';
import { isStellarAddress } from '../../core/stellar/strkey.ts';
import { decimalSign, parseAmount } from '../../core/typed-amount.ts';
import { note } from '../controls/controls.ts';
import { decimalsOf, decimalText } from '../money-text.ts';
import { say } from '../strings/en.ts';
import {
  clockText,
  codeOf,
  coins,
  field,
  money,
  problemIn,
  type RampContext,
  sidesOfQuote,
  stateIn,
} from './ramp-context.ts';

/** Characters of an account's address (SEP-23). */
const shortestAddress = 56;

/** Decimals of coins on Stellar. */
const coinDecimals = 7;

const currencyOf = ({ element, store }: RampContext) => store.state.options?.currency ?? element.currency ?? '';

/** The price that the draft asks for. Null without an amount. */
export function quoteBody(context: RampContext): CreateRampQuote | null {
  const { side, amount, asset, method } = context.draft;
  const currency = currencyOf(context);
  const minor = parseAmount(
    amount,
    side === 'pay' ? decimalsOf(currency) : coinDecimals,
    decimalSign(context.locale()),
  );
  if (!minor || !asset || !method) return null;
  const sold = side === 'pay' ? { currency, amount: minor } : { currency };
  const bought = side === 'get' ? { asset, amount: decimalText(minor, coinDecimals) } : { asset };
  return { direction: 'on', sell: sold, buy: bought, method: method as CreateRampQuote['method'] };
}

/** The customer that the page names, or null. */
const givenCustomer = ({ element }: RampContext) =>
  element.customerEmail
    ? { email: element.customerEmail, ...(element.customerName && { name: element.customerName }) }
    : null;

const walletOf = ({ element, draft }: RampContext) => element.wallet || draft.wallet.trim();

/** The ramp that the draft asks for, at the quote. */
export function rampBody(context: RampContext, quote: RampQuote): CreateRamp {
  const { draft, element } = context;
  const memo = element.wallet ? '' : draft.memo.trim();
  return {
    direction: 'on',
    quote_id: quote.id,
    wallet: { address: walletOf(context), ...(memo && { memo, memo_type: draft.memoType }) },
    customer: givenCustomer(context) ?? { email: draft.email.trim(), name: draft.name.trim() },
    ...(element.returnUrl && { return_url: element.returnUrl }),
  };
}

/** Checks the form. Returns the first wrong field, or null. */
function check(context: RampContext): string | null {
  const { draft, strings } = context;
  const wallet = walletOf(context);
  const isKnown = givenCustomer(context) !== null;
  const example = `100${decimalSign(context.locale())}00`;
  const wrong: Record<string, string> = {
    amount: quoteBody(context) ? '' : say(strings.amountWrong, { example }),
    wallet: isStellarAddress(wallet) ? '' : wallet ? strings.walletWrong : strings.walletMissing,
    email: isKnown || isEmail(draft.email.trim()) ? '' : strings.emailWrong,
    name: isKnown || draft.name.trim() ? '' : strings.nameMissing,
  };
  context.wrong = wrong;
  return Object.keys(wrong).find(name => wrong[name]) ?? null;
}

async function submit(context: RampContext, event: Event): Promise<void> {
  event.preventDefault();
  const first = check(context);
  context.element.requestUpdate();
  const { busy, quote } = stateIn(context);
  if (first === null && quote && !busy) return await context.begin();
  if (first === null && !quote && !busy) context.reprice();
  await context.element.updateComplete;
  const name = first === 'amount' ? context.draft.side : first;
  context.element.renderRoot.querySelector<HTMLElement>(`#ramp-${name}`)?.focus();
}

/** The first step: what is bought, how it is paid, and where the coins go. */
export function rampForm(context: RampContext): TemplateResult {
  const { strings, draft, element } = context;
  const { options, busy, quote, problem } = stateIn(context);
  if (!options?.assets[0]) return html`<p>${strings.offered}</p>`;
  if (!options.methods[0]) return html`<p>${say(strings.noMethod, { currency: options.currency })}</p>`;
  const isSending = busy === 'create';
  const bought = quote && sidesOfQuote(quote).buy;
  const label = bought ? say(strings.buy, { coins: coins(context, bought.amount, bought.asset) }) : strings.next;
  return html`<h2>${say(strings.title, { asset: codeOf(draft.asset) })}</h2>
    <form novalidate @submit=${(event: Event) => submit(context, event)}>
      ${amounts(context)} ${methods(context)} ${facts(context)}
      ${element.wallet ? nothing : walletField(context)}
      ${givenCustomer(context) ? nothing : customerFields(context)}
      ${problem ? note(problemIn(context, problem), 'bad', 'alert') : nothing}
      <button class="main" part="button" aria-disabled=${isSending}>
        ${isSending ? html`<span class="spin"></span>` : nothing}${label}
      </button>
    </form>`;
}

/** Both amounts. The one that the customer did not type comes from the quote. */
function amounts(context: RampContext): TemplateResult {
  const { strings, draft, locale } = context;
  const { options, quote } = stateIn(context);
  const currency = currencyOf(context);
  const sign = decimalSign(locale());
  const sides = quote && sidesOfQuote(quote);
  const paid = sides ? decimalText(sides.sell.amount, decimalsOf(currency)).replace('.', sign) : '';
  const bought = sides ? sides.buy.amount.replace(/\.?0+$/, '').replace('.', sign) : '';
  const amountInput = (side: RampContext['draft']['side'], label: string, follows: string, unit: TemplateResult) =>
    html`<div>
      <label for="ramp-${side}">${label}</label>
      <div class="pair">
        <input
          id="ramp-${side}"
          part="field"
          inputmode="decimal"
          autocomplete="off"
          maxlength="24"
          .value=${draft.side === side ? draft.amount : follows}
          aria-invalid=${draft.side === side && context.wrong['amount'] ? 'true' : 'false'}
          aria-describedby=${draft.side === side && context.wrong['amount'] ? 'ramp-amount-note' : nothing}
          @input=${({ target }: Event) => {
            context.wrong = { ...context.wrong, amount: '' };
            context.change({ side, amount: (target as HTMLInputElement).value });
            context.reprice();
          }}
        />
        ${unit}
      </div>
    </div>`;
  const choose = ({ target }: Event) => {
    context.change({ asset: (target as HTMLSelectElement).value });
    context.reprice();
  };
  const assets = options?.assets ?? [];
  const unit = assets[1]
    ? html`<select aria-label=${strings.asset} @change=${choose}>
        ${assets.map(asset => html`<option value=${asset} ?selected=${asset === draft.asset}>${codeOf(asset)}</option>`)}
      </select>`
    : html`<b>${codeOf(draft.asset)}</b>`;
  return html`${amountInput('pay', strings.pay, paid, html`<b>${currency}</b>`)}
    ${amountInput('get', strings.get, bought, unit)}
    ${context.wrong['amount'] ? html`<p class="wrong" id="ramp-amount-note">${context.wrong['amount']}</p>` : nothing}`;
}

function methods(context: RampContext): unknown {
  const { strings, draft } = context;
  const offered = stateIn(context).options?.methods ?? [];
  if (!offered[1]) return nothing;
  return html`<fieldset>
    <legend>${strings.method}</legend>
    <div class="choices">
      ${offered.map(
        method => html`<label>
          <input
            type="radio"
            name="method"
            value=${method}
            .checked=${method === draft.method}
            @change=${() => {
              context.change({ method });
              context.reprice();
            }}
          />
          <span>${strings.methods[method]}</span>
        </label>`,
      )}
    </div>
  </fieldset>`;
}

/** The price, the fee, and how long both are held. */
function facts(context: RampContext): unknown {
  const { strings, locale } = context;
  const { quote, busy } = stateIn(context);
  if (!quote) return busy === 'quote' ? html`<p class="hint">${strings.pricing}</p>` : nothing;
  const {
    sell: { currency, amount },
    buy: { asset },
  } = sidesOfQuote(quote);
  const format = new Intl.NumberFormat(locale(), { style: 'currency', currency, maximumSignificantDigits: 6 });
  const left = Date.parse(quote.expires_at) - context.now();
  return html`<dl class="facts">
    <div>
      <dt>${strings.price}</dt>
      <dd>1 ${codeOf(asset)} = ${format.format(quote.price as Intl.StringNumericLiteral)}</dd>
    </div>
    <div>
      <dt>${strings.fee}</dt>
      <dd>${quote.fee.total ? money(context, quote.fee.total, currency) : strings.noFee}</dd>
    </div>
    <div>
      <dt>${strings.pay}</dt>
      <dd>${money(context, amount, currency)}</dd>
    </div>
  </dl>
  <p class="hint" role="timer" aria-live="off">${say(strings.held, { time: clockText(Math.max(0, left)) })}</p>`;
}

/** The wallet's address, or that of Freighter, and the memo that exchanges ask for. */
function walletField(context: RampContext): TemplateResult {
  const { strings, draft } = context;
  // A whole address is checked at once. A check on leaving the field would move the button under the pointer.
  const typed = ({ target }: Event) => {
    const wallet = (target as HTMLInputElement).value;
    const isWhole = wallet.trim().length >= shortestAddress;
    context.wrong = {
      ...context.wrong,
      wallet: isWhole && !isStellarAddress(wallet.trim()) ? strings.walletWrong : '',
    };
    context.change({ wallet });
  };
  return html`${field(
    context,
    'wallet',
    strings.wallet,
    (id, invalid, note) => html`<input
          id=${id}
          class="code"
          part="field"
          dir="ltr"
          autocomplete="off"
          autocapitalize="characters"
          spellcheck="false"
          maxlength="80"
          placeholder=${strings.walletHint}
          .value=${draft.wallet}
          aria-invalid=${invalid}
          aria-describedby=${note}
          @input=${typed}
        />
        <button class="plain" type="button" @click=${() => connect(context)}>${strings.freighter}</button>`,
  )}
    <details ?open=${draft.memo !== ''}>
      <summary>${strings.memo}</summary>
      <div>
        ${field(
          context,
          'memo-type',
          strings.memoType,
          id => html`<select
            id=${id}
            @change=${({ target }: Event) => context.change({ memoType: (target as HTMLSelectElement).value as 'text' | 'id' })}
          >
            ${(['text', 'id'] as const).map(
              type =>
                html`<option value=${type} ?selected=${type === draft.memoType}>${strings.memoTypes[type]}</option>`,
            )}
          </select>`,
        )}
        ${field(
          context,
          'memo',
          strings.memoText,
          id => html`<input
            id=${id}
            part="field"
            autocomplete="off"
            maxlength="28"
            .value=${draft.memo}
            @input=${({ target }: Event) => context.change({ memo: (target as HTMLInputElement).value })}
          />`,
        )}
      </div>
    </details>`;
}

/** Fills in the address of Freighter, the browser extension. */
async function connect(context: RampContext): Promise<void> {
  const { strings } = context;
  let wallet = '';
  try {
    const { freighter } = await import('../wallets/freighter.ts');
    wallet = (await freighter.detect()) ? await freighter.connect() : '';
    context.wrong = { ...context.wrong, wallet: wallet ? '' : strings.noFreighter.replace('|', ' ') };
  } catch {
    context.wrong = { ...context.wrong, wallet: strings.freighterRefused.replace('|', ' ') };
  }
  context.change(wallet ? { wallet } : {});
}

function customerFields(context: RampContext): TemplateResult {
  const { strings, draft } = context;
  const input = (name: 'email' | 'name', type: string, value: string) =>
    field(
      context,
      name,
      strings[name],
      (id, invalid, note) => html`<input
        id=${id}
        part="field"
        type=${type}
        autocomplete=${name}
        maxlength="250"
        .value=${value}
        aria-invalid=${invalid}
        aria-describedby=${note}
        @input=${({ target }: Event) => {
          context.wrong = { ...context.wrong, [name]: '' };
          context.change({ [name]: (target as HTMLInputElement).value });
        }}
      />`,
    );
  return html`${input('email', 'email', draft.email)} ${input('name', 'text', draft.name)}`;
}
