import 'pay-checkout/define';
import type {} from 'pay-checkout/types/solid';
import { createSignal, For } from 'solid-js';
import { render } from 'solid-js/web';
import { apiKey, baseUrl } from './order.ts';

/** The tag: handlers get an event, whose detail is the payment or the error. */
function Page() {
  const [calls, setCalls] = createSignal<readonly string[]>([]);
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
        <For each={calls()}>{call => <li>{call}</li>}</For>
      </ol>
    </main>
  );
}

render(() => <Page />, document.querySelector('#root') as HTMLElement);
