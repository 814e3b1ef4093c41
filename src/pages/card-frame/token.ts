import type { CardFrameStrings } from '../../api/card-frame.ts';
import { digitsOf, parseExpiry } from '../../core/card/card-number.ts';
import type { CardInputs } from './card-form.ts';

/** The service's answer: a token, or the reason why there is no token. */
export type TokenAnswer =
  | { readonly token: string; readonly brand: string; readonly last4: string }
  | { readonly code: string; readonly message: string };

/** Ends a call whose connection is lost. The service normally answers much sooner. */
const timeoutMs = 30_000;

/** The texts for a request that got no answer. Blank: the element has its own. */
type FailureTexts = Partial<Pick<CardFrameStrings, 'offline' | 'unavailable'>>;

/** Sends a request with the frame's ticket to the frame's own origin, the service. */
export async function post(path: string, body: object): Promise<Response> {
  return await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    credentials: 'omit',
    signal: AbortSignal.timeout(timeoutMs),
    body: JSON.stringify({ ticket: new URLSearchParams(location.search).get('ticket'), ...body }),
  });
}

/** Asks the service for a token. Never rejects. */
export async function fetchToken(path: string, request: object, texts: FailureTexts = {}): Promise<TokenAnswer> {
  const { unavailable = '', offline = '' } = texts;
  try {
    const response = await post(path, request);
    const body = await response.json();
    if (response.ok) return { token: body.token, brand: body.brand, last4: body.last4 };
    const { code, message } = body.error;
    return { code, message: response.status < 500 ? message : unavailable };
  } catch {
    return navigator.onLine ? { code: 'unavailable', message: unavailable } : { code: 'offline', message: offline };
  }
}

/** Exchanges the card for a token. Never rejects. */
export async function requestToken(card: CardInputs, strings: CardFrameStrings): Promise<TokenAnswer> {
  const expiry = parseExpiry(card.expiry);
  const typed = {
    number: digitsOf(card.number),
    exp_month: expiry?.month,
    exp_year: expiry?.year,
    cvc: card.cvc,
    name: card.name.trim(),
  };
  return await fetchToken('tokens', typed, strings);
}
