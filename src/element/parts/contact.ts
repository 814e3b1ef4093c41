import { css, html, nothing, type TemplateResult } from 'lit';
import type { Payment } from '../../api/payment.ts';
import { isEmail } from '../../core/email.ts';
import { parseWebAddress } from '../../core/web-address.ts';
import { say } from '../strings/en.ts';
import { contactStrings as strings } from '../strings/en-contact.ts';

export const contactStyles = css`
  .contact {
    color: var(--ink3);
    font-size: 0.934em;
    text-align: center;
  }
  .contact a {
    display: inline-block;
    padding-block: 10px;
    color: var(--accent-text);
    font-weight: 500;
    text-underline-offset: 0.2em;
  }
`;

/** The way to the shop's people: no screen on which a payer is stuck is without it. */
export function contact({ merchant, reference, id }: Payment): TemplateResult | typeof nothing {
  if (!merchant) return nothing;
  const { name, support_email: address, support_url: page } = merchant;
  if (address && isEmail(address)) {
    const link = `mailto:${encodeURIComponent(address)}?subject=${encodeURIComponent(reference ?? id)}`;
    return html`<p class="contact" part="contact"><a href=${link}>${say(strings.write, { address })}</a></p>`;
  }
  const url = page && parseWebAddress(page);
  return html`<p class="contact" part="contact">
    ${url ? html`<a href=${url.href}>${say(strings.visit, { name })}</a>` : say(strings.ask, { name })}
  </p>`;
}
