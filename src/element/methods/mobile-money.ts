import { css, nothing } from 'lit';
import type { CheckoutContext, View } from '../checkout-context.ts';

export const styles = css``;

/** The mobile-money tab. */
export function createView(_context: CheckoutContext): View {
  return { render: () => nothing };
}
