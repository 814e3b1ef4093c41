import { html, nothing, type TemplateResult } from 'lit';
import type { CustomerRamp } from '../../api/ramps/ramp.ts';
import { note, plainButton } from '../controls/controls.ts';
import { drawing } from '../first-screen/icon.ts';
import { say } from '../strings/en.ts';
import { clockText, codeOf, coins, money, problemIn, type RampContext, shortened, stateIn } from './ramp-context.ts';

/** The widget sells coins only, so the money is given and the coins are got. */
const sidesOf = ({ amount_in: money, amount_out: bought }: CustomerRamp) => ({
  money: Number(money),
  coins: String(bought),
});

const coinsOf = (context: RampContext, ramp: CustomerRamp) => coins(context, sidesOf(ramp).coins, ramp.asset);

/** What the customer pays and gets, and the wallet. */
export function summary(context: RampContext, ramp: CustomerRamp): TemplateResult {
  const { strings } = context;
  const sum = money(context, sidesOf(ramp).money, ramp.fiat_currency);
  const [before, after] = say(strings.to, { wallet: '|' }).split('|');
  return html`<header class="summary" part="summary">
    <h2>${say(strings.summary, { money: sum, coins: coinsOf(context, ramp) })}</h2>
    <p>${before}${shortened(ramp.wallet?.address ?? '')}${after}</p>
    ${heldLine(context, ramp)}
  </header>`;
}

/** Until when the price is held, while the customer pays. */
function heldLine({ strings, now }: RampContext, { status, price_expires_at: end }: CustomerRamp): unknown {
  const left = Date.parse(end) - now();
  if (status !== 'pending_user_transfer_start' || left <= 0) return nothing;
  return html`<p role="timer" aria-live="off">${say(strings.held, { time: clockText(left) })}</p>`;
}

/** The payment, by the checkout's own element. */
export function paymentView(context: RampContext, ramp: CustomerRamp): TemplateResult {
  const { element, strings, store, locale, now } = context;
  const { busy, problem } = stateIn(context);
  const isOld = now() >= Date.parse(ramp.price_expires_at) && ramp.method !== 'bank_transfer';
  const follow = (event: Event) => {
    // The page hears of the ramp, not of its payment.
    event.stopPropagation();
    void store.look();
  };
  const change = isOld ? strings.newPrice : strings.cancel;
  return html`${isOld ? note(strings.priceOver, 'warn', 'status') : nothing}
    ${problem?.task === 'cancel' ? note(problemIn(context, problem), 'bad', 'alert') : nothing}
    <pay-checkout
      payment-id=${ramp.payment}
      client-secret=${ramp.payment_client_secret}
      base-url=${element.baseUrl ?? ''}
      locale=${locale()}
      theme=${element.theme ?? nothing}
      .appearance=${element.appearance}
      @pay-ready=${follow}
      @pay-change=${follow}
      @pay-success=${follow}
      @pay-failure=${follow}
      @pay-expire=${follow}
      @pay-method=${(event: Event) => event.stopPropagation()}
      @pay-quote=${(event: Event) => event.stopPropagation()}
      @pay-error=${(event: Event) => event.stopPropagation()}
    ></pay-checkout>
    ${element.rampId ? nothing : plainButton(change, () => !busy && cancel(context))}`;
}

async function cancel(context: RampContext): Promise<void> {
  await context.store.cancel();
  if (stateIn(context).ramp?.status === 'expired') context.restart();
}

/** The way of the coins: paid, sending, arrived. */
export function progressView(context: RampContext, ramp: CustomerRamp): TemplateResult {
  const { strings } = context;
  const steps = [
    [strings.steps.paid, 'done'],
    [say(strings.steps.sending, { coins: coinsOf(context, ramp) }), 'now'],
    [strings.steps.arrived, ''],
  ] as const;
  return html`<ol>
      ${steps.map(
        ([text, state]) => html`<li class=${state} aria-current=${state === 'now' ? 'step' : nothing}>
          <i>${state === 'done' ? drawing('m5 12.5 4.5 4.5L19 7.5') : state === 'now' ? html`<span class="spin"></span>` : nothing}</i>
          <span>${text}</span>
        </li>`,
      )}
    </ol>
    ${note(waitText(context, ramp), ramp.status === 'pending_trust' ? 'warn' : '', 'status')} ${link(context, ramp)}`;
}

function waitText({ strings }: RampContext, { status, failure, asset }: CustomerRamp): string {
  const [code, issuer = ''] = asset.split(':');
  if (status === 'on_hold') return strings.hold;
  if (status === 'pending_trust') {
    return issuer === '' || failure?.code === 'destination_missing'
      ? strings.openAccount
      : say(strings.trust, { asset: code, issuer });
  }
  return failure === null ? strings.moving : strings.waitsFor;
}

/** The link to the transaction that delivers the coins. */
function link({ strings }: RampContext, { tx_url: url, tx_hash: hash }: CustomerRamp): unknown {
  if (hash === null) return nothing;
  return url
    ? html`<p><a href=${url} target="_blank" rel="noopener noreferrer">${strings.transaction}</a></p>`
    : html`<p class="code">${hash}</p>`;
}

/** The end of a ramp. */
export function endView(context: RampContext, ramp: CustomerRamp): TemplateResult {
  const { strings, element } = context;
  const heading = {
    completed: say(strings.done, { coins: coinsOf(context, ramp) }),
    refunded: strings.refunded,
    expired: strings.expired,
  }[ramp.status as 'completed' | 'refunded' | 'expired'];
  return html`<header class="summary" part="summary">
      <h2 tabindex="-1">${heading}</h2>
      ${ramp.status === 'completed' ? html`<p>${shortened(ramp.wallet?.address ?? '')}</p>` : nothing}
      ${ramp.status === 'expired' ? html`<p>${strings.noMoney}</p>` : nothing}
    </header>
    ${link(context, ramp)}
    ${element.rampId ? nothing : html`<button class="second" type="button" @click=${context.restart}>${strings.again}</button>`}`;
}

/** The title of the asset, for announcements. */
export const announcement = (context: RampContext, ramp: CustomerRamp): string =>
  ramp.status === 'completed'
    ? say(context.strings.done, { coins: coinsOf(context, ramp) })
    : ramp.status === 'pending_stellar'
      ? say(context.strings.steps.sending, { coins: codeOf(ramp.asset) })
      : '';
