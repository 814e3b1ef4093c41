import { css, html, nothing } from 'lit';
import { parseWebAddress } from '../../core/web-address.ts';
import { type CheckoutContext, stateOf, type View } from '../checkout-context.ts';
import { note, report } from '../controls/controls.ts';
import type { PayErrorDetail } from '../events.ts';
import { baseOf, type CheckoutConfig, hasSecretKey, isUsable } from '../state/checkout-config.ts';
import { troubleStrings } from '../strings/en/trouble.ts';
import { say } from '../strings/en.ts';
import { notSetUp, startProblemText } from './set-up.ts';

export const styles = css`
  .ask {
    color: var(--ink3);
    text-align: center;
  }
`;

const secretKey: PayErrorDetail = {
  code: 'secret_key_refused',
  message:
    'A secret key is in this page, where every visitor can read it. Revoke it, and use the publishable key (pk_…) or proxy-url.',
};

const missing: PayErrorDetail = {
  code: 'configuration_missing',
  message:
    'Set payment-id with client-secret, or link, or api-key with amount, currency and settlement-asset, or proxy-url.',
};

const noAddress: PayErrorDetail = {
  code: 'base_url_missing',
  message:
    'Set base-url to the address of the payment service. It is known only where the service’s own script was loaded.',
};

/** The error of an unusable configuration, for the developer. */
function configProblem(config: CheckoutConfig): PayErrorDetail {
  if (hasSecretKey(config)) return secretKey;
  return baseOf(config) === '' ? noAddress : missing;
}

/** The message when no payment can be shown. Tells the developer which setting is wrong. */
export function createView(context: CheckoutContext): View {
  const refusal = isUsable(context.element) ? null : configProblem(context.element);
  const way = parseWebAddress(context.element.redirectUrl ?? '');
  const again = () => stateOf(context).options || void context.session?.begin();
  if (refusal) report(context, refusal);
  else addEventListener('online', again);
  return {
    render({ problem }) {
      if (refusal) return note(notSetUp(context), 'bad', 'alert');
      const strings = context.strings.parts?.trouble ?? troubleStrings;
      const text = problem?.status
        ? say(strings.notStarted, { message: startProblemText(context, problem).replace('|', ' ') })
        : strings.noAnswer;
      return html`${note(text, 'bad', 'alert')}
        <button class="second" type="button" @click=${again}>${context.strings.tryAgain}</button>
        <p class="ask">${strings.ask}</p>
        ${way ? html`<a class="second" href=${way.href}>${strings.back}</a>` : nothing}`;
    },
    dispose: () => removeEventListener('online', again),
  };
}
