import './refund.css';

/** About how long a refund on its way takes to be sent, in milliseconds. */
const lookAgainMs = 2_500;

// The server says how things stand; a page that shows something on its way asks again.
if (document.querySelector('[data-state="sending"]')) setTimeout(() => location.reload(), lookAgainMs);

// Pressed twice, the form is still sent once.
document.querySelector('form')?.addEventListener('submit', event => {
  const { submitter } = event;
  if (submitter instanceof HTMLButtonElement) setTimeout(() => (submitter.disabled = true));
});

document.querySelector<HTMLInputElement>('[aria-invalid]')?.focus();
