import './checkout.css';
import type { Payment } from '../../api/payment.ts';

const checkout = document.querySelector<HTMLElement>('pay-checkout');

/** Loads the code that shows a changed payment. It is loaded late, because most first views do not need it. */
const progress = () => import('./progress.ts');

// The style sheet reserves the card form's space until the payer acts, or until no action remains.
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

// The links of the language switch have the parameter `locale`. The new page restores the typed fields.
const typed = () => import('./typed-fields.ts');
addEventListener('input', typed, { once: true });
if (location.search.includes('locale=')) typed();
if (document.images[0]) import('./pictures.ts');
