import { css, html, nothing, type TemplateResult } from 'lit';
import type { PublicPaymentLink } from '../../api/link.ts';
import { momentText } from '../../core/locale/moment-text.ts';
import { ApiProblem } from '../checkout-api.ts';
import { type CheckoutCustomer, customerOf } from '../checkout-config.ts';
import { type Desk, dispatch, localeOf, rootOf } from '../desk.ts';
import { say } from '../strings/en.ts';
import { payLinkStrings } from '../strings/en-pay-link.ts';
import type { View } from '../view-rack.ts';
import { contact, contactStyles } from './contact.ts';
import { createForm } from './details.ts';
import { note } from './furniture.ts';
import { amount } from './heading.ts';
import { payLink, readLink } from './link-calls.ts';
import { formBones } from './skeleton.ts';
import { createSumField, type Sum, sumStyles } from './sum.ts';

const { styleSheet } = css`
  .test {
    color: var(--ink3);
    font-size: 0.934em;
    text-align: center;
  }
  ${contactStyles}
  ${sumStyles}
`;

/** What is known of the link, and how far its payer has come. */
interface Visit {
  readonly desk: Desk;
  link: PublicPaymentLink | undefined;
  /** Why it could not be read. */
  trouble: ApiProblem | undefined;
  /** Why no payment could be made of it. */
  problem: ApiProblem | null;
  isBusy: boolean;
}

/** Pays a payment link: who is paid and how much, the amount where the payer names it, and who pays. */
export function createView(desk: Desk): View {
  if (styleSheet) rootOf(desk).adoptedStyleSheets.push(styleSheet);
  const visit: Visit = { desk, link: undefined, trouble: undefined, problem: null, isBusy: false };
  const choices = () => visit.link?.choices ?? [];
  const sumField = createSumField(desk);
  let sum: Sum | null = null;
  const form = createForm(desk, {
    known: customerOf(desk.element),
    above: () => (choices()[0] ? sumField.render(choices()) : nothing),
    check() {
      sum = sumField.take(choices());
      return Boolean(sum) || !choices()[0];
    },
    send: customer => pay(visit, customer, sum),
  });
  const again = () => {
    if (visit.trouble) void read(visit);
  };
  void read(visit);
  addEventListener('online', again);
  return {
    render(state) {
      const { link, trouble, problem, isBusy } = visit;
      if (trouble) return unknown(desk, trouble, again);
      if (!link) return formBones();
      const asked = { ...state, problem: problem ?? state.problem, busy: isBusy ? ('create' as const) : state.busy };
      return html`${header(link, localeOf(desk))} ${closed(desk, link) ?? form.render(asked)}
        ${link.livemode ? nothing : html`<p class="test">${desk.strings.testMode}</p>`}`;
    },
    dispose() {
      removeEventListener('online', again);
      form.dispose?.();
    },
  };
}

async function read(visit: Visit): Promise<void> {
  const { desk } = visit;
  visit.trouble = undefined;
  try {
    visit.link = await readLink(desk.element, desk.element.link ?? '');
    const customer = customerOf(desk.element);
    // Nothing is left for the payer to say.
    if (customer && visit.link.state === 'open' && !visit.link.choices[0] && !visit.problem) {
      await pay(visit, customer, null);
    }
  } catch (error) {
    visit.trouble = problemOf(error);
  }
  desk.element.requestUpdate();
}

/**
 * Makes the payment and goes on with it. Where the link itself takes nobody any more, its state says why; where the
 * bounds have moved, with a rate or what others have paid, they are shown as they are now.
 */
async function pay(visit: Visit, customer: CheckoutCustomer, sum: Sum | null): Promise<void> {
  const { desk } = visit;
  const { session, element } = desk;
  if (!session || visit.isBusy) return;
  const order = { customer, ...sum };
  Object.assign(visit, { isBusy: true, problem: null });
  element.requestUpdate();
  try {
    const key = session.memory.keyFor(JSON.stringify(order));
    const { handle, seen } = await payLink(element, order, { key, askedAt: session.clock.deviceNow() });
    session.memory.keep(handle);
    await dispatch(desk, { type: 'open', handle, seen });
  } catch (error) {
    visit.problem = problemOf(error);
    const { code, status } = visit.problem;
    if (status > 0 && status < 500) session.memory.forget();
    if (code.startsWith('link_') || code === 'amount_out_of_range') await read(visit);
  }
  visit.isBusy = false;
  element.requestUpdate();
}

function problemOf(error: unknown): ApiProblem {
  return error instanceof ApiProblem ? error : new ApiProblem('unexpected', '', 0);
}

const words = ({ strings }: Desk) => strings.parts?.payLink ?? payLinkStrings;

/** Why the link cannot be paid, and whom to ask; null when it can. */
function closed(desk: Desk, link: PublicPaymentLink): TemplateResult | null {
  const { state, starts_at: start } = link;
  if (state === 'open') return null;
  const date = start ? momentText(start, localeOf(desk)) : '';
  return html`${note(say(words(desk).closed[state], { date }), 'warn', 'status')} ${contact(desk, link)}`;
}

/** There is no such link, or nobody knows yet. */
function unknown(desk: Desk, { status }: ApiProblem, again: () => void): TemplateResult {
  const { missing, unreachable } = words(desk);
  if (status === 404) return note(missing, 'bad', 'alert');
  return html`${note(unreachable, 'bad', 'alert')}
    <button class="second" type="button" @click=${again}>${desk.strings.tryAgain}</button>`;
}

/** Who is paid, for what, and how much where that stands. */
function header(link: PublicPaymentLink, locale: string): TemplateResult {
  const { merchant, description, reference, choices, currency } = link;
  const { name = '', logo = null } = merchant ?? {};
  return html`<header part="header">
    <div class="who" part="payee">
      ${
        logo
          ? html`<img class="logo" part="logo" src=${logo} alt="" />`
          : html`<span class="logo" part="logo" aria-hidden="true">${name.slice(0, 1).toUpperCase()}</span>`
      }
      <div><b>${name}</b><span>${description ?? reference}</span></div>
    </div>
    ${choices[0] || link.amount === null ? nothing : amount(link.amount, currency, currency, locale)}
  </header>`;
}
