import { Component, CUSTOM_ELEMENTS_SCHEMA, signal } from '@angular/core';
import type { PayErrorDetail, Payment } from 'pay-checkout';

declare const PAY_URL: string;
declare const PAY_KEY: string;

/** The tag: handlers get an event, whose detail is the payment or the error. */
@Component({
  selector: 'shop-page',
  schemas: [CUSTOM_ELEMENTS_SCHEMA],
  template: `
    <main>
      <pay-checkout
        [baseUrl]="baseUrl"
        [apiKey]="apiKey"
        [amount]="4200"
        currency="EUR"
        settlement-asset="USDC"
        payment-methods="card"
        customer-email="ada@example.com"
        (ready)="note('ready', $event)"
        (change)="note('change', $event)"
        (success)="note('success', $event)"
        (failure)="note('failure', $event)"
        (expire)="note('expire', $event)"
        (error)="note('error', $event)"
      ></pay-checkout>
      <ol aria-label="Calls">
        @for (call of calls(); track $index) {
          <li>{{ call }}</li>
        }
      </ol>
    </main>
  `,
})
export class ShopPage {
  readonly baseUrl = PAY_URL;
  readonly apiKey = PAY_KEY;
  readonly calls = signal<readonly string[]>([]);

  /** For `(success)`, Angular types `$event` as a plain Event. For `(pay-success)`, it also knows the detail. */
  note(name: string, event: Event): void {
    const { detail } = event as CustomEvent<Payment | PayErrorDetail>;
    this.calls.update(calls => [...calls, `${name} ${'id' in detail ? detail.id : detail.code}`]);
  }
}
