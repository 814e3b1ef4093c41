import type { Payment } from '../../api/payment.ts';
import { amountNotes } from '../../core/locale/amount-notes.ts';
import { refreshSummary, showRemaining, textElement } from './refresh.ts';

/** The stored record of a payment that was started on this page. */
interface StartedPayment {
  readonly id: string;
  readonly client_secret: string;
}

/** The parts of an invoice's page, whose form starts the payment. */
export interface PayingPage {
  readonly page: HTMLElement;
  readonly section: HTMLElement;
  readonly form: HTMLFormElement;
  readonly token: string;
  /** Formats an amount in minor units like the rest of the page. */
  money(amount: number): string;
}

/** Replaces the form by the checkout of a payment, and the checkout by the form. */
export interface Paying {
  /** Shows a payment that has just started. */
  show(payment: StartedPayment): void;
  /** Shows the payment that this tab started earlier. */
  resume(): void;
  /** Replaces the form's button by a button that reloads the page. Returns the message that explains why. */
  offerReload(): string;
}

export function createPaying(given: PayingPage): Paying {
  const { section, form, token } = given;
  const words = form.dataset;
  const parts = [...section.childNodes];

  /** Replaces the form by the checkout. `isKnown`: the page is newer than the payment and may already count it. */
  function draw(payment: StartedPayment, isKnown: boolean): void {
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
      showNext(words, below, paid);
    };
    for (const type of ['pay-failure', 'pay-expire']) checkout.addEventListener(type, () => over(0));
    checkout.addEventListener('pay-success', event => {
      const { detail } = event as CustomEvent<Payment>;
      over(isKnown ? 0 : detail.amount);
      if (!isKnown) showPaid(given, detail);
    });
    section.replaceChildren(checkout, below);
    section.classList.add('paying');
  }

  /** Lets the payer choose another amount. The started payment stays open, and money for it still counts. */
  function change(): void {
    rememberPayment(token, null);
    section.replaceChildren(...parts);
    section.classList.remove('paying');
    form.querySelector<HTMLElement>(':checked, #email, button')?.focus();
  }

  return {
    show(payment) {
      draw(payment, false);
      // The pressed button no longer exists, so the section gets the focus.
      section.tabIndex = -1;
      section.focus();
    },
    resume() {
      const known = recallPayment(token);
      if (known) draw(known, true);
    },
    offerReload() {
      form.querySelector('button')?.replaceWith(plainButton(words['reload'] ?? '', reload));
      return words['moved'] ?? '';
    },
  };
}

/** Shows the computed remaining amount at once, and later the service's figures. */
function showPaid({ page, form, money }: PayingPage, { amount }: Payment): void {
  const words = form.dataset;
  const remaining = Number(words['most']) - amount;
  if (remaining > 0) {
    const figure = money(remaining);
    showRemaining(figure, amountNotes(figure, words['currency'] ?? '', words['left']));
  }
  void refreshSummary(page, words['most'] ?? '');
}

/** Replaces `below` by the next step: paying the rest, or reloading the page. */
function showNext(words: DOMStringMap, below: HTMLElement, paid: number): void {
  const isRest = paid > 0 && paid < Number(words['most']);
  const next = plainButton((isRest ? words['rest'] : words['reload']) ?? '', reload);
  if (isRest) next.className = 'main';
  below.replaceWith(next);
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

const keyOf = (token: string) => `pay-invoice:${token}`;

/** The payment that was started in this tab. A reload continues this payment instead of starting another. */
function recallPayment(token: string): StartedPayment | null {
  try {
    const text = sessionStorage.getItem(keyOf(token));
    return text === null ? null : (JSON.parse(text) as StartedPayment);
  } catch {
    return null;
  }
}

/** Remembers the payment. Null forgets it. Without usable storage, a reload starts another payment. */
function rememberPayment(token: string, payment: StartedPayment | null): void {
  try {
    if (payment === null) sessionStorage.removeItem(keyOf(token));
    else sessionStorage.setItem(keyOf(token), JSON.stringify(payment));
  } catch {
    // The storage cannot be used.
  }
}
