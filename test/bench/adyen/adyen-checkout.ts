import { AdyenCheckout, BankTransfer, Card, Dropin, Redirect } from '@adyen/adyen-web';
import '@adyen/adyen-web/styles/adyen.css';

/**
 * A shop's page with Adyen's drop-in, cut to three methods. The methods and English texts are in the script, so the
 * list waits for no call. The bench replaces Adyen's servers by addresses on `localhost`, another site. These
 * addresses must contain `test`, as the client key does.
 */
async function show(): Promise<void> {
  const assets = `http://localhost:${location.port}/adyen/test/`;
  const checkout = await AdyenCheckout({
    environment: 'test',
    clientKey: `test_${'B'.repeat(32)}`,
    locale: 'en-US',
    countryCode: 'NL',
    amount: { value: 12_840, currency: 'EUR' },
    analytics: { enabled: false },
    paymentMethodsResponse: {
      paymentMethods: [
        { type: 'scheme', name: 'Cards', brands: ['visa'] },
        { type: 'bankTransfer_IBAN', name: 'Bank transfer' },
        { type: 'ideal', name: 'iDEAL' },
      ],
    },
    _environmentUrls: { api: assets, analytics: assets, cdn: { images: assets, translations: assets } },
  });
  new Dropin(checkout, { paymentMethodComponents: [Card, BankTransfer, Redirect] }).mount('#dropin');
}

void show();
