import './invoice.css';
import type { Payment } from '../../api/payment.ts';
import { type BegunPayment, recallPayment, rememberPayment } from './begun-payment.ts';
import { createPayForm, type PayWish } from './pay-form.ts';
import { visitorName, whenSomebodyReads } from './person-view.ts';
import { showAsItStands, showLeft } from './standing.ts';
import { textElement } from './text-element.ts';

const page = document.querySelector('main') as HTMLElement;
const place = document.querySelector<HTMLElement>('.payment');
const form = place?.querySelector<HTMLFormElement>('form');
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
  whenSomebodyReads(() => void ask('views', { visitor: visitorName() }).catch(() => undefined));
}

if (place && form) {
  const words = form.dataset;
  const payForm = createPayForm(form, wish => void begin(wish));
  const known = recallPayment(token);
  if (known) show(known);

  async function begin(wish: PayWish): Promise<void> {
    payForm.busy(true);
    payForm.object('');
    try {
      const answer = await ask('payments', wish);
      if (answer.ok) show((await answer.json()) as BegunPayment);
      // Paid or cancelled in the meantime, or less is left.
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

  /** What is left, at once by what was just paid, and then the rest of the page as the service has it. */
  function tellPaid({ amount }: Payment): void {
    const left = Number(words['most']) - amount;
    if (left > 0) showLeft(payForm.money(left), words['left'] ?? '');
    void showAsItStands(page, words['most'] ?? '');
  }

  /** The way on, in the place of `below`: to the rest, where something is left to pay. */
  function leadOn(below: HTMLElement, paid: number): void {
    const isRest = paid > 0 && paid < Number(words['most']);
    const next = plainButton((isRest ? words['rest'] : words['reload']) ?? '', reload);
    if (isRest) next.className = 'main';
    below.replaceWith(next);
  }

  /** The checkout in the form's place. */
  function show(payment: BegunPayment): void {
    rememberPayment(token, payment);
    const checkout = document.createElement('pay-checkout');
    const below = plainButton(words['change'] ?? '', forget);
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
      leadOn(below, paid);
    };
    for (const type of ['pay-failure', 'pay-expire']) checkout.addEventListener(type, () => over(0));
    checkout.addEventListener('pay-success', event => {
      const { detail } = event as CustomEvent<Payment>;
      // One that was begun before this page was loaded may be counted in what the page says already.
      over(payment === known ? 0 : detail.amount);
      if (payment !== known) tellPaid(detail);
    });
    place?.replaceChildren(checkout, below);
    place?.classList.add('paying');
  }
}

/** Another sum: what was begun stays open, and what is paid on it still counts. */
function forget(): void {
  rememberPayment(token, null);
  reload();
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
