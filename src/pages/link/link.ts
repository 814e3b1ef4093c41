import './link.css';

const checkout = document.querySelector<HTMLElement>('pay-checkout');

/** Shows the checkout of a payment. Removes the message of a closed link. */
function reveal(): void {
  checkout?.removeAttribute('hidden');
  checkout?.setAttribute('data-begun', '');
  document.querySelector('.closed')?.remove();
}

/** Whether this tab remembers a payment of the link. If so, the page shows that payment again. */
function hasPayment(link: string): boolean {
  try {
    const entries = Object.entries(sessionStorage);
    return entries.some(([key, value]) => key.includes(`"${link}"`) && value.includes('"payment"'));
  } catch {
    // The storage cannot be used.
    return false;
  }
}

if (checkout?.hidden && hasPayment(checkout.getAttribute('link') ?? '')) reveal();
for (const type of ['pay-ready', 'pay-success', 'pay-failure', 'pay-expire']) {
  checkout?.addEventListener(type, () => setTimeout(reveal));
}
