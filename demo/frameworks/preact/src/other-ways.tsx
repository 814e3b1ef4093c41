/** Other ways to write the tag. The test checks their types; no page shows them. */
const createRef = <T,>() => ({ current: null as T | null });

import type { PayCheckout as Checkout } from 'pay-checkout';
import type {} from 'pay-checkout/types/preact';

const ref = createRef<Checkout>();
export const withEverything = (
  <pay-checkout
    ref={ref}
    key="1"
    class="x"
    style={{ minHeight: 1 }}
    id="z"
    data-x="1"
    onpay-success={e => e.detail.id}
    onpay-method={e => e.detail.method}
    metadata={{ a: 1 }}
    onClick={() => ref.current?.confirm()}
  />
);
// @ts-expect-error an amount is a number
export const wrongAmount = <pay-checkout amount={true} />;
