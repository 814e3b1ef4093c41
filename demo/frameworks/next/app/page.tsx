'use client';

import { PayCheckout } from 'pay-checkout/react';
import { apiKey, baseUrl, Calls, useCalls } from './calls.tsx';

/** The component on a prerendered page: callbacks get the payment. */
export default function Page() {
  const [calls, add] = useCalls();
  return (
    <main>
      <PayCheckout
        baseUrl={baseUrl}
        apiKey={apiKey}
        amount={4200}
        currency="EUR"
        settlementAsset="USDC"
        paymentMethods={['card']}
        customer={{ email: 'ada@example.com', name: 'Ada Lovelace' }}
        onReady={payment => add('ready', payment.id)}
        onChange={payment => add('change', payment.id)}
        onSuccess={payment => add('success', payment.id)}
        onFailure={payment => add('failure', payment.id)}
        onExpire={payment => add('expire', payment.id)}
        onError={error => add('error', error.code)}
      />
      <Calls calls={calls} />
    </main>
  );
}
