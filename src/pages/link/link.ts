import './link.css';

const checkout = document.querySelector<HTMLElement>('pay-checkout');

/** There is a payment: of a link that takes nobody any more one that was begun here before, which is shown in its place. */
function reveal(): void {
  checkout?.removeAttribute('hidden');
  checkout?.setAttribute('data-begun', '');
  document.querySelector('.closed')?.remove();
  document.querySelector('.choice')?.remove();
  // The checkout writes into it what is due.
  if (document.querySelector('.amount bdi')?.textContent) document.querySelector('.amount')?.removeAttribute('hidden');
}

/** Whether this tab remembers a payment of the link: whoever has just paid, or waits for a transfer, is shown that again. */
function hasBegun(link: string): boolean {
  try {
    const entries = Object.entries(sessionStorage);
    return entries.some(([key, value]) => key.includes(`"${link}"`) && value.includes('"payment"'));
  } catch {
    // Storage is switched off: nothing is remembered.
    return false;
  }
}

if (checkout?.hidden && hasBegun(checkout.getAttribute('link') ?? '')) reveal();
for (const type of ['pay-ready', 'pay-success', 'pay-failure', 'pay-expire']) {
  checkout?.addEventListener(type, () => setTimeout(reveal));
}
