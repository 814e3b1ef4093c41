import './refund.css';

const lookAgainMs = 2_500;

// The server renders the state, so the page is reloaded while a refund is being sent.
if (document.querySelector('[data-state="sending"]')) setTimeout(() => location.reload(), lookAgainMs);

// Disables the button after the first press, so that a double press does not send the form twice.
document.querySelector('form')?.addEventListener('submit', event => {
  const { submitter } = event;
  if (submitter instanceof HTMLButtonElement) setTimeout(() => (submitter.disabled = true));
});

document.querySelector<HTMLInputElement>('[aria-invalid]')?.focus();
if (document.images[0]) import('../checkout/pictures.ts');
