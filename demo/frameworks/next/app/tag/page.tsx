'use client';

import 'pay-checkout/define';
import type {} from 'pay-checkout/types/react';
import { apiKey, baseUrl, Calls, useCalls } from '../calls.tsx';

/** The tag on a prerendered page: handlers get an event. */
export default function Page() {
  const [calls, add] = useCalls();
  return (
    <main>
      <pay-checkout
        base-url={baseUrl}
        api-key={apiKey}
        amount={4200}
        currency="EUR"
        settlement-asset="USDC"
        payment-methods="card"
        customer-email="ada@example.com"
        onReady={event => add('ready', event.detail.id)}
        onChange={event => add('change', event.detail.id)}
        onSuccess={event => add('success', event.detail.id)}
        onFailure={event => add('failure', event.detail.id)}
        onExpire={event => add('expire', event.detail.id)}
        onError={event => add('error', event.detail.code)}
      />
      <Calls calls={calls} />
    </main>
  );
}
