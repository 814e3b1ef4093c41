import { css, html, nothing, type TemplateResult } from 'lit';
import type { PublicPaymentLink } from '../../api/link.ts';
import { momentText } from '../../core/locale/moment-text.ts';
import { type CheckoutContext, localeOf, storeOf, type View } from '../checkout-context.ts';
import { contact, contactStyles } from '../controls/contact.ts';
import { note } from '../controls/controls.ts';
import { amount, logo } from '../first-screen/heading.ts';
import { formSkeleton } from '../first-screen/skeleton.ts';
import { ApiProblem, deviceNow } from '../state/checkout-api.ts';
import { type CheckoutCustomer, customerOf } from '../state/checkout-config.ts';
import { payLinkStrings } from '../strings/en/pay-link.ts';
import { say } from '../strings/en.ts';
import { createForm, styles as formStyles } from '../views/details.ts';
import { type Amount, amountFieldStyles, createAmountField } from './amount-field.ts';
import { payLink, readLink } from './link-api.ts';

export const styles = css`
  ${formStyles}
  .test {
    color: var(--ink3);
    font-size: 0.934em;
    text-align: center;
  }
  ${contactStyles}
  ${amountFieldStyles}
`;

/** The loaded link, and the progress of its payer. */
interface Visit {
  readonly context: CheckoutContext;
  link: PublicPaymentLink | undefined;
  /** The error of a link that could not be read. */
  trouble: ApiProblem | undefined;
  /** The error of a payment that could not be created. */
  problem: ApiProblem | null;
  isBusy: boolean;
}

/** The form of a payment link: merchant, amount or amount field, and the fields for the customer. */
export function createView(context: CheckoutContext): View {
  const visit: Visit = { context, link: undefined, trouble: undefined, problem: null, isBusy: false };
  const choices = () => visit.link?.choices ?? [];
  const amountField = createAmountField(context);
  let chosen: Amount | null = null;
  const form = createForm(context, {
    known: customerOf(context.element),
    above: () => (choices()[0] ? amountField.render(choices()) : nothing),
    check() {
      chosen = amountField.take(choices());
      return Boolean(chosen) || !choices()[0];
    },
    send: customer => pay(visit, customer, chosen),
  });
  const again = () => {
    if (visit.trouble) void read(visit);
  };
  void read(visit);
  addEventListener('online', again);
  return {
    render(state) {
      const { link, trouble, problem, isBusy } = visit;
      if (trouble) return unknown(context, trouble, again);
      if (!link) return formSkeleton();
      const asked = { ...state, problem: problem ?? state.problem, busy: isBusy ? ('create' as const) : state.busy };
      return html`${header(context, link)} ${closed(context, link) ?? form.render(asked)}
        ${link.livemode ? nothing : html`<p class="test">${context.strings.testMode}</p>`}`;
    },
    dispose() {
      removeEventListener('online', again);
      form.dispose?.();
    },
  };
}

async function read(visit: Visit): Promise<void> {
  const { context } = visit;
  visit.trouble = undefined;
  try {
    visit.link = await readLink(context.element, context.element.link ?? '');
    const customer = customerOf(context.element);
    // The payer has nothing to enter, so the payment begins at once.
    if (customer && visit.link.state === 'open' && !visit.link.choices[0] && !visit.problem) {
      await pay(visit, customer, null);
    }
  } catch (error) {
    visit.trouble = problemOf(error);
  }
  context.element.requestUpdate();
}

/**
 * Creates the payment and opens it. After a refusal because of the link's state or limits, reads the link again, so
 * that the payer sees the new ones.
 */
async function pay(visit: Visit, customer: CheckoutCustomer, amount: Amount | null): Promise<void> {
  const { context } = visit;
  const { session, element } = context;
  if (!session || visit.isBusy) return;
  const order = { customer, ...amount };
  Object.assign(visit, { isBusy: true, problem: null });
  element.requestUpdate();
  try {
    const key = session.memory.keyFor(JSON.stringify(order));
    const { handle, seen } = await payLink(element, order, { key, askedAt: deviceNow() });
    session.memory.keep(handle);
    await storeOf(context)?.open(handle, seen);
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

const words = ({ strings }: CheckoutContext) => strings.parts?.payLink ?? payLinkStrings;

/** Why the link cannot be paid, with the merchant's contact. Null if the link can be paid. */
function closed(context: CheckoutContext, link: PublicPaymentLink): TemplateResult | null {
  const { state, starts_at: start } = link;
  if (state === 'open') return null;
  const date = start ? momentText(start, localeOf(context)) : '';
  return html`${note(say(words(context).closed[state], { date }), 'warn', 'status')} ${contact(context, link)}`;
}

/** The message for a link that does not exist or could not be read. */
function unknown(context: CheckoutContext, { status }: ApiProblem, again: () => void): TemplateResult {
  const { missing, unreachable } = words(context);
  if (status === 404) return note(missing, 'bad', 'alert');
  return html`${note(unreachable, 'bad', 'alert')}
    <button class="second" type="button" @click=${again}>${context.strings.tryAgain}</button>`;
}

/** Merchant, description, and the amount if the link fixes it. */
function header(context: CheckoutContext, link: PublicPaymentLink): TemplateResult {
  const { merchant, description, reference, choices, currency } = link;
  return html`<header part="header">
    <div class="who" part="payee">
      ${logo(context, merchant)}
      <div><b>${merchant?.name}</b><span>${description ?? reference}</span></div>
    </div>
    ${choices[0] || link.amount === null ? nothing : amount(link.amount, currency, localeOf(context))}
  </header>`;
}
