import type { Payment } from '../../api/payment.ts';
import { amountNotes } from '../../core/locale/amount-notes.ts';
import { lengthClass } from '../../core/locale/length-class.ts';
import { moneyText } from '../../core/locale/locale-format.ts';
import { returnAddress } from '../../core/return-address.ts';

/** Time in ms for which the page shows the result before it returns to the shop. */
const lookMs = 6_000;

/**
 * Shows the state of the payment. After a success or an authorization, returns to the payment's `redirect_url`, if
 * there is one.
 */
export function show(checkout: HTMLElement, payment: Payment, isSuccess: boolean): void {
  // The server drew the page with this locale, which may be more than the page's language.
  const locale = checkout.getAttribute('locale') ?? '';
  showDue(payment, amount => moneyText(BigInt(amount), payment.currency, locale));
  // An authorized payment is pending until the merchant takes the money, but the payer has nothing more to do.
  const isAuthorized = payment.phase === 'authorized';
  if (payment.status === 'pending' && !isAuthorized) return;
  checkout.setAttribute('data-over', '');
  // The page stays after an exception such as an overpayment, because the payer must be able to read about it.
  if (payment.exception || !(isAuthorized || isSuccess)) return;
  const way = returnAddress(payment.redirect_url, payment);
  const leaving = document.querySelector<HTMLElement>('.leaving');
  if (way && leaving) leaveSoon(leaving, way);
}

/** Formats an amount of the payment like the rest of the page. */
type Money = (amount: number) => string;

/**
 * Shows an amount in large type: after a partial payment the remaining amount, after a completion with less than the
 * full amount the received amount, otherwise the full amount. For a partial payment, the order shows both parts.
 */
function showDue(payment: Payment, money: Money): void {
  const left = payment.amount - payment.amount_received;
  const isPart = payment.status === 'pending' && left > 0 && left < payment.amount;
  const isShort = payment.completed_at && left > 0;
  const text = money(isPart ? left : isShort ? payment.amount_received : payment.amount);
  showInOrder('received', payment, isPart && money(-payment.amount_received));
  showInOrder('due', payment, isPart && money(left));
  const headline = document.querySelector<HTMLElement>('.amount');
  const figure = headline?.querySelector('bdi');
  if (!headline || !figure) return;
  // Before the payment, the page of a link shows its own text here.
  document.querySelector('.amount.choice')?.remove();
  headline.hidden = false;
  figure.textContent = text;
  headline.className = `amount ${lengthClass(text)}`;
  headline.replaceChildren(figure);
  for (const note of amountNotes(text, payment.currency, isPart ? headline.dataset['due'] : '')) {
    const small = document.createElement('small');
    small.textContent = note;
    headline.append(' ', small);
  }
}

/**
 * Fills in a row of the order. Hides the row if there is no amount. Also hides the row if the order's total is not the
 * payment's amount: the order of a link may be larger than the payment.
 */
function showInOrder(name: 'received' | 'due', payment: Payment, amount: string | false): void {
  const order = document.querySelector<HTMLElement>('.order');
  const row = order?.querySelector<HTMLElement>(`.${name}`);
  const figure = row?.querySelector('dd bdi');
  if (!row || !figure) return;
  row.hidden = !amount || order?.dataset['total'] !== `${payment.amount}`;
  if (amount) figure.textContent = amount;
}

/** Announces the return to the shop. Returns after `lookMs`, unless the payer acts before. */
function leaveSoon(notice: HTMLElement, way: URL): void {
  const stay = document.createElement('button');
  stay.type = 'button';
  stay.textContent = notice.dataset['stay'] ?? '';
  notice.replaceChildren(`${notice.dataset['leaving']} `, stay);
  const busy = new AbortController();
  const timer = setTimeout(() => location.assign(way), lookMs);
  const cancel = () => {
    clearTimeout(timer);
    busy.abort();
    notice.replaceChildren();
  };
  // A click by assistive technology may have no pointer or key events.
  for (const type of ['pointerdown', 'keydown', 'click', 'copy']) {
    addEventListener(type, cancel, { signal: busy.signal });
  }
}
