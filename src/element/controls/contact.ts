import { css, html, type TemplateResult } from 'lit';
import type { Payment } from '../../api/payment.ts';
import { isEmail } from '../../core/email.ts';
import { parseWebAddress } from '../../core/web-address.ts';
import type { CheckoutContext } from '../checkout-context.ts';
import { contactStrings } from '../strings/en/contact.ts';
import { say } from '../strings/en.ts';

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

/** The merchant's contact: a mail address, the support page, or only the name. */
export function contact(
  context: CheckoutContext,
  { merchant, reference, id }: Pick<Payment, 'merchant' | 'reference' | 'id'>,
): TemplateResult {
  const strings = context.strings.parts?.contact ?? contactStrings;
  const { name = '', support_email: address = null, support_url: page = null } = merchant ?? {};
  const url = page === null ? null : parseWebAddress(page);
  if (address !== null && isEmail(address)) {
    const link = `mailto:${encodeURIComponent(address)}?subject=${encodeURIComponent(reference ?? id)}`;
    return line(html`<a href=${link}>${say(strings.write, { name, address })}</a>`);
  }
  if (url) return line(html`<a href=${url.href}>${say(strings.visit, { name })}</a>`);
  return line(name ? say(strings.ask, { name }) : strings.askUnknown);
}

const line = (words: unknown) => html`<p class="contact" part="contact">${words}</p>`;
