import './invoice.css';
import type { Payment } from '../../api/payment.ts';
import { type BegunPayment, recallPayment, rememberPayment } from './begun-payment.ts';
import { createPayForm, type PayWish } from './pay-form.ts';
import { visitorName, whenSomebodyReads } from './person-view.ts';

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

  function tellPaid({ amount }: Payment): void {
    const left = Number(words['most']) - amount;
    showLeft(left > 0 ? payForm.money(left) : null);
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
    const over = () => {
      rememberPayment(token, null);
      below.replaceWith(plainButton(words['reload'] ?? '', reload));
    };
    for (const type of ['pay-success', 'pay-failure', 'pay-expire']) checkout.addEventListener(type, over);
    // One that was begun before this page was loaded may be counted in what the page says already.
    if (payment !== known)
      checkout.addEventListener('pay-success', event => tellPaid((event as CustomEvent<Payment>).detail));
    place?.replaceChildren(checkout, below);
    place?.classList.add('paying');
  }
}

/** The summary above the checkout: what is left, without the day by which more was due. */
function showLeft(left: string | null): void {
  page.dataset['over'] = '';
  const figure = page.querySelector('.amount bdi');
  if (figure && left !== null) figure.textContent = left;
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
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'plain';
  button.textContent = label;
  button.addEventListener('click', press);
  return button;
}
