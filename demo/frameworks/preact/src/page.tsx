import 'pay-checkout/define';
import type {} from 'pay-checkout/types/preact';
import { render } from 'preact';
import { useState } from 'preact/hooks';
import { apiKey, baseUrl } from './order.ts';

/** The tag: handlers get an event, whose detail is the payment or the error. */
function Page() {
  const [calls, setCalls] = useState<readonly string[]>([]);
  const add = (name: string, what: string) => setCalls(known => [...known, `${name} ${what}`]);
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
      <ol aria-label="Calls">
        {calls.map((call, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list only grows
          <li key={index}>{call}</li>
        ))}
      </ol>
    </main>
  );
}

render(<Page />, document.querySelector('#root') as HTMLElement);
