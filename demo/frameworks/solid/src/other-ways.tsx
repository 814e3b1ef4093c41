import type { PayCheckout as Checkout } from 'pay-checkout';
import type {} from 'pay-checkout/types/solid';

/** Other ways to write the tag. The test checks their types; no page shows them. */
let ref: Checkout | undefined;
export const withEverything = (
  <pay-checkout
    ref={ref}
    class="x"
    style={{ 'min-height': '1px' }}
    id="z"
    on:pay-success={e => e.detail.id}
    prop:metadata={{ a: 1 }}
    onClick={() => ref?.confirm()}
  />
);
// @ts-expect-error an amount is a number
export const wrongAmount = <pay-checkout amount={true} />;
