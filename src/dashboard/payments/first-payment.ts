import { html, nothing, type TemplateResult } from 'lit';
import type { DashboardContext } from '../app/dashboard-context.ts';
import { pathTo } from '../app/router.ts';
import { emptyState } from '../controls/states.ts';

/** Instructions for the first payment. The example store sells for the operator's merchant, in test mode. */
export function firstPayment(
  { session, may }: Pick<DashboardContext, 'session' | 'may'>,
  title: string,
): TemplateResult {
  const isLive = session?.livemode === true;
  if (session?.merchant.is_operator && !isLive) {
    return emptyState(
      title,
      'Open the example store, put something into the cart, and pay with a test card. It appears here at once.',
      html`<a class="main" href="/demo/">Open the example store</a>`,
    );
  }
  const way = isLive ? 'send it to somebody who pays' : 'open it, and pay with the test card 4242 4242 4242 4242';
  return emptyState(
    title,
    `Create a payment link, ${way}. The payment appears here at once.`,
    may('money') ? html`<a class="main" href=${pathTo('/links?new=1')}>Create a payment link</a>` : nothing,
  );
}
