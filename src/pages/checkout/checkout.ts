import './checkout.css';
import type { Payment } from '../../api/payment.ts';

const checkout = document.querySelector<HTMLElement>('pay-checkout');

/** Loaded once the payer does something or the payment has changed, because most first views need none of it. */
const progress = () => import('./progress.ts');

// The style sheet reserves the card's space until the payer does something, or has nothing more to do.
for (const type of ['pointerdown', 'keydown', 'click']) {
  checkout?.addEventListener(type, () => {
    checkout.setAttribute('data-touched', '');
    progress().catch(() => {});
  });
}

const fold = document.querySelector<HTMLElement>('.order .fold');
fold?.addEventListener('click', () => {
  fold.ariaExpanded = `${fold.ariaExpanded !== 'true'}`;
});

for (const type of ['pay-ready', 'pay-change', 'pay-success', 'pay-failure', 'pay-expire']) {
  checkout?.addEventListener(type, event => {
    const payment = (event as CustomEvent<Payment>).detail;
    const isAsDrawn = type === 'pay-ready' && payment.phase === 'awaiting_payer' && !checkout.hasAttribute('link');
    if (!isAsDrawn) progress().then(({ show }) => show(checkout, payment, type === 'pay-success'));
  });
}

// Links of the language switch carry the parameter.
const typed = () => import('./typed-fields.ts');
addEventListener('input', typed, { once: true });
if (location.search.includes('locale=')) typed();
if (document.images[0]) import('./pictures.ts');
