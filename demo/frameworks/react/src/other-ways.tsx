import type { PayCheckout as Checkout } from 'pay-checkout';
import { PayCheckout } from 'pay-checkout/react';
import type {} from 'pay-checkout/types/react';
import { createRef } from 'react';

/** Other ways to write the tag. The test checks their types; no page shows them. */
const ref = createRef<Checkout>();
export const withEverything = (
  <pay-checkout
    ref={ref}
    key="1"
    class="x"
    className="y"
    style={{ minHeight: 1 }}
    id="z"
    data-x="1"
    onpay-success={e => e.detail.id}
    onpay-method={e => e.detail.method}
    metadata={{ a: 1 }}
    onClick={() => ref.current?.confirm()}
  />
);
export const asButton = (
  <PayCheckout ref={ref} key="1" link="plink_x" mode="popup" className="x">
    <button type="button" slot="trigger">
      Pay
    </button>
  </PayCheckout>
);
// @ts-expect-error an amount is a number
export const wrongAmount = <pay-checkout amount={true} />;
// @ts-expect-error the callback gets a payment
export const wrongCallback = <PayCheckout onSuccess={(p: number) => p} />;
// @ts-expect-error there is no such callback
export const wrongName = <PayCheckout onSuccessful={() => 1} />;
