import './link.css';

const checkout = document.querySelector<HTMLElement>('pay-checkout');

/** There is a payment: of a link that takes nobody any more one that was begun here before, which is shown in its place. */
function reveal(): void {
  checkout?.removeAttribute('hidden');
  document.querySelector('.closed')?.remove();
  document.querySelector('.choice')?.remove();
  document.querySelector('.amount')?.removeAttribute('hidden');
}

for (const type of ['pay-ready', 'pay-success', 'pay-failure', 'pay-expire']) checkout?.addEventListener(type, reveal);
