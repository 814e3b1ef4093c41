import type { WalletScheme } from '../api/card-frame.ts';
import { PayError } from '../core/error.ts';
import type { CardRail, WalletOffer, WalletToken } from '../server/rails/card-rail.ts';

type Wallets = NonNullable<CardRail['wallets']>;

/** A card in a wallet. */
interface WalletCard {
  readonly brand: string;
  readonly last4: string;
}

const applePay: WalletOffer = {
  scheme: 'apple_pay',
  method: 'https://apple.com/apple-pay',
  manifests: [],
  data: {
    version: 3,
    merchantIdentifier: 'merchant.pay-checkout.sandbox',
    merchantCapabilities: ['supports3DS'],
    supportedNetworks: ['visa', 'masterCard', 'amex'],
    countryCode: 'DE',
  },
};

const googlePay: WalletOffer = {
  scheme: 'google_pay',
  method: 'https://google.com/pay',
  manifests: ['https://pay.google.com/gp/p/'],
  data: {
    environment: 'TEST',
    apiVersion: 2,
    apiVersionMinor: 0,
    allowedPaymentMethods: [
      {
        type: 'CARD',
        parameters: {
          allowedAuthMethods: ['PAN_ONLY', 'CRYPTOGRAM_3DS'],
          allowedCardNetworks: ['VISA', 'MASTERCARD', 'AMEX'],
        },
        tokenizationSpecification: {
          type: 'PAYMENT_GATEWAY',
          parameters: { gateway: 'example', gatewayMerchantId: 'sandbox' },
        },
      },
    ],
  },
};

/** The wallets of the sandbox. `keep` stores the wallet's card, and returns its token. */
export function createSandboxWallets(keep: (card: WalletCard, now: Date) => ReturnType<Wallets['tokenize']>): Wallets {
  return {
    offers: () => [applePay, googlePay],
    openSession: async ({ url, payee }) => {
      if (!/^https:\/\/[a-z-]+\.apple\.com\//.test(url)) throw unreadable();
      return { displayName: payee, merchantSessionIdentifier: 'sandbox' };
    },
    tokenize: async (wallet, now) => {
      const card = cardIn(wallet);
      if (card === null) throw unreadable();
      return await keep(card, now);
    },
  };
}

function unreadable(): PayError {
  return new PayError('invalid_token', 'The wallet could not be read. Nothing was taken. Try a card.');
}

/** The network and the last digits, as each wallet names them beside its encrypted data. */
function cardIn({ scheme, payload }: WalletToken): WalletCard | null {
  const named = names[scheme](payload);
  const found = /^([a-z]+) .*?([0-9]{4})$/i.exec(named);
  return found === null ? null : { brand: (found[1] ?? '').toLowerCase(), last4: found[2] ?? '' };
}

const names: Readonly<Record<WalletScheme, (payload: unknown) => string>> = {
  apple_pay: payload => `${at(payload, 'token', 'paymentMethod', 'displayName')}`,
  google_pay: payload => {
    const info = at(payload, 'paymentMethodData', 'info');
    return `${at(info, 'cardNetwork')} ${at(info, 'cardDetails')}`;
  },
};

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (inner as Readonly<Record<string, unknown>> | undefined)?.[name], value);
}
