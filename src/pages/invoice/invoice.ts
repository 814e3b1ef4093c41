import './invoice.css';
import type { Payment } from '../../api/payment.ts';
import { createPayForm, type PayRequest } from './pay-form.ts';
import { visitorName, whenPersonReads } from './reading.ts';

/** A payment started on this page, as this tab remembers it. */
interface StartedPayment {
  readonly id: string;
  readonly client_secret: string;
}

const page = document.querySelector('main') as HTMLElement;
const section = document.querySelector<HTMLElement>('.payment');
const form = section?.querySelector<HTMLFormElement>('form');
const { token = '', preview } = page.dataset;

/** Calls the service about this invoice. */
const ask = (path: string, body: object) =>
  fetch(`/i/${token}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    credentials: 'omit',
    keepalive: true,
    body: JSON.stringify(body),
  });

if (preview !== 'yes') {
  whenPersonReads(() => void ask('views', { visitor: visitorName() }).catch(() => undefined));
}

if (section && form) {
  const words = form.dataset;
  const parts = [...section.childNodes];
  const payForm = createPayForm(form, request => void begin(request));
  const known = recallPayment(token);
  if (known) show(known);

  async function begin(request: PayRequest): Promise<void> {
    payForm.busy(true);
    payForm.object('');
    try {
      const answer = await ask('payments', request);
      if (answer.ok) {
        show((await answer.json()) as StartedPayment);
        // The pressed button has gone.
        lead(section);
      }
      // The invoice has been paid or cancelled, or its remaining amount is smaller.
      else if (answer.status === 409 || answer.status === 400) offerReload(words['moved'] ?? '');
      else payForm.object(words['failed'] ?? '');
    } catch {
      payForm.object(words['failed'] ?? '');
    } finally {
      payForm.busy(false);
    }
  }

  function offerReload(reason: string): void {
    payForm.object(reason);
    form?.querySelector('button')?.replaceWith(plainButton(words['reload'] ?? '', reload));
  }

  /** Shows the computed remaining amount at once, and later the service's own figures. */
  function showPaid({ amount }: Payment): void {
    const remaining = Number(words['most']) - amount;
    if (remaining > 0) showRemaining(payForm.money(remaining), words['left'] ?? '');
    void refreshSummary(page, words['most'] ?? '');
  }

  /** Replaces `below` by the next step: paying the rest, or reloading the page. */
  function showNext(below: HTMLElement, paid: number): void {
    const isRest = paid > 0 && paid < Number(words['most']);
    const next = plainButton((isRest ? words['rest'] : words['reload']) ?? '', reload);
    if (isRest) next.className = 'main';
    below.replaceWith(next);
  }

  /** Replaces the form by the checkout. */
  function show(payment: StartedPayment): void {
    rememberPayment(token, payment);
    const checkout = document.createElement('pay-checkout');
    const below = plainButton(words['change'] ?? '', change);
    for (const [name, value] of Object.entries({
      'payment-id': payment.id,
      'client-secret': payment.client_secret,
      'base-url': location.origin,
      locale: words['locale'] ?? '',
    })) {
      checkout.setAttribute(name, value);
    }
    const over = (paid: number) => {
      rememberPayment(token, null);
      showNext(below, paid);
    };
    for (const type of ['pay-failure', 'pay-expire']) checkout.addEventListener(type, () => over(0));
    checkout.addEventListener('pay-success', event => {
      const { detail } = event as CustomEvent<Payment>;
      // The page may already count a payment that was started before the page was loaded.
      over(payment === known ? 0 : detail.amount);
      if (payment !== known) showPaid(detail);
    });
    section?.replaceChildren(checkout, below);
    section?.classList.add('paying');
  }

  /** Lets the payer choose another amount. The started payment stays open, and money for it still counts. */
  function change(): void {
    rememberPayment(token, null);
    section?.replaceChildren(...parts);
    section?.classList.remove('paying');
    form?.querySelector<HTMLElement>(':checked, #email, button')?.focus();
  }
}

/** Moves the focus to an element that is no control, and scrolls to it. */
function lead(target: HTMLElement | null): void {
  if (!target) return;
  target.tabIndex = -1;
  target.focus();
}

function reload(): void {
  location.reload();
}

function plainButton(label: string, press: () => void): HTMLButtonElement {
  const button = textElement('button', label);
  button.type = 'button';
  button.className = 'plain';
  button.addEventListener('click', press);
  return button;
}

function keyOf(token: string): string {
  return `pay-invoice:${token}`;
}

/** The payment started in this tab. A reload continues it instead of starting another payment. */
function recallPayment(token: string): StartedPayment | null {
  try {
    const text = sessionStorage.getItem(keyOf(token));
    return text === null ? null : (JSON.parse(text) as StartedPayment);
  } catch {
    return null;
  }
}

/** Remembers the payment; null forgets it. Without storage a reload starts another payment. */
function rememberPayment(token: string, payment: StartedPayment | null): void {
  try {
    if (payment === null) sessionStorage.removeItem(keyOf(token));
    else sessionStorage.setItem(keyOf(token), JSON.stringify(payment));
  } catch {
    // The storage cannot be used.
  }
}

/** Pauses before the page is read, in ms. The service counts a payment shortly after it is completed. */
const pauses = [200, 600, 1_500, 4_000, 10_000];

/** Shows the remaining amount above the checkout, with its label. */
function showRemaining(figure: string, label: string): void {
  const amount = document.querySelector('.amount');
  amount?.replaceChildren(textElement('bdi', figure), ' ', textElement('small', label));
}

/**
 * Updates the summary and the sheet as soon as the service has counted the payment. `before`: the previous remaining
 * amount in minor units. Without an answer the page does not change.
 */
async function refreshSummary(page: HTMLElement, before: string): Promise<void> {
  for (const pause of pauses) {
    await new Promise(done => setTimeout(done, pause));
    const now = await readPage();
    if (now === null || now.querySelector<HTMLElement>('form')?.dataset['most'] === before) continue;
    for (const part of ['.summary', '.sheet']) {
      const fresh = now.querySelector(part);
      if (fresh) page.querySelector(part)?.replaceWith(document.adoptNode(fresh));
    }
    return;
  }
}

/** Reads the page again; null on failure. A parsed XMLHttpRequest document runs no script. */
function readPage(): Promise<Document | null> {
  return new Promise(done => {
    const request = new XMLHttpRequest();
    request.open('GET', location.pathname);
    request.responseType = 'document';
    request.onload = () => done(request.status === 200 ? request.responseXML : null);
    request.onerror = () => done(null);
    request.send();
  });
}

/** Creates an element with a text. */
function textElement<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, text: string): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}
