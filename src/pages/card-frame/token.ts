import type { CardFrameStrings } from '../../api/card-frame.ts';
import { digitsOf, parseExpiry } from '../../core/card/card-number.ts';
import type { CardInputs } from './card-form.ts';

/** The service's answer: a token, or the reason why there is no token. */
export type TokenAnswer =
  | { readonly token: string; readonly brand: string; readonly last4: string }
  | { readonly code: string; readonly message: string };

/** Ends a call whose connection is lost. The service normally answers much sooner. */
const timeoutMs = 30_000;

/** Exchanges the card for a token. Sends the card only to the frame's own origin, the service. Never rejects. */
export async function requestToken(card: CardInputs, strings: CardFrameStrings): Promise<TokenAnswer> {
  const expiry = parseExpiry(card.expiry);
  try {
    const response = await fetch('tokens', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      credentials: 'omit',
      signal: AbortSignal.timeout(timeoutMs),
      body: JSON.stringify({
        ticket: new URLSearchParams(location.search).get('ticket'),
        number: digitsOf(card.number),
        exp_month: expiry?.month,
        exp_year: expiry?.year,
        cvc: card.cvc,
        name: card.name.trim(),
      }),
    });
    const body = await response.json();
    if (response.ok) return { token: body.token, brand: body.brand, last4: body.last4 };
    const { code, message } = body.error;
    return { code, message: response.status < 500 ? message : strings.unavailable };
  } catch {
    return navigator.onLine
      ? { code: 'unavailable', message: strings.unavailable }
      : { code: 'offline', message: strings.offline };
  }
}
