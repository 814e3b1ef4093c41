import type { PayClient } from '../../src/api/client.ts';

/** The name of an account that nobody has named yet. */
const unnamed = 'Test shop';

const logo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><defs><linearGradient id="g" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="#ff9a62"/><stop offset="1" stop-color="#ee3f6c"/></linearGradient></defs><rect width="64" height="64" rx="17" fill="url(#g)"/><path d="M22 45V19h5.6l9.4 15.6V19h5.4v26h-5.5L27.4 29.2V45z" fill="#fff"/></svg>`;

/**
 * Gives the account the shop's name and logo, so that a payer sees the same shop on the hosted page. An account that
 * its owner has named stays as it is.
 */
export async function nameAccount(pay: PayClient): Promise<void> {
  const { name, branding } = await pay.account.retrieve();
  if (name !== unnamed || branding.logo !== null) return;
  await pay.account.update({
    name: 'Nordlys Supply',
    branding: { logo: `data:image/svg+xml;base64,${btoa(logo)}` },
  });
}
