import { type CardFrameReply, type FrameWallets, type WalletScheme, walletReply } from '../../api/card-frame.ts';
import { fetchToken, post } from './token.ts';

/** The functions of the frame that the wallet buttons call. */
interface WalletPort {
  readonly send: (reply: CardFrameReply) => void;
  readonly lock: (holder: 'wallet', locked: boolean) => void;
}

/** Brand names, which are the same in every language. */
const names: Readonly<Record<WalletScheme, string>> = { apple_pay: 'Apple Pay', google_pay: 'Google Pay' };

/** Set here, because few frames have wallets and all load the style sheet. */
const look = {
  flex: '1',
  minBlockSize: '48px',
  border: '0',
  borderRadius: 'var(--fieldRadius)',
  background: 'var(--ink)',
  color: 'var(--field)',
  font: 'inherit',
};

type Offer = FrameWallets['offers'][number];

/** Event of Apple Pay's Payment Request. TypeScript's library does not know it. */
interface MerchantValidation extends Event {
  readonly validationURL: string;
  complete(session: Promise<unknown>): void;
}

/** Adds a button for each wallet that the browser offers. */
export async function showWallets(form: HTMLFormElement, port: WalletPort): Promise<void> {
  if (!('PaymentRequest' in window)) return;
  const wallets: FrameWallets = JSON.parse(document.documentElement.dataset['wallets'] ?? '');
  const row = document.createElement('div');
  row.className = 'row';
  for (const offer of wallets.offers) {
    const isOffered = await openRequest(wallets, offer)
      .canMakePayment()
      .catch(() => false);
    if (!isOffered) continue;
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = names[offer.scheme];
    Object.assign(button.style, look);
    button.addEventListener('click', () => void pay(wallets, offer, port));
    row.append(button);
  }
  if (row.childElementCount > 0) form.prepend(row);
}

function openRequest({ label, value, currency }: FrameWallets, { method, data }: Offer): PaymentRequest {
  const total = { label, amount: { currency, value } };
  const request = new PaymentRequest([{ supportedMethods: method, data }], { total });
  request.addEventListener('merchantvalidation', event => {
    const validation = event as MerchantValidation;
    validation.complete(post('wallet-sessions', { url: validation.validationURL }).then(response => response.json()));
  });
  return request;
}

/** Opens the wallet, and exchanges what it hands over for a token. A payer who closes the wallet gets no message. */
async function pay(wallets: FrameWallets, offer: Offer, { send, lock }: WalletPort): Promise<void> {
  lock('wallet', true);
  try {
    const response = await openRequest(wallets, offer).show();
    const { scheme } = offer;
    const answer = await fetchToken('wallet-tokens', { scheme, payload: response.details });
    await response.complete('token' in answer ? 'success' : 'fail');
    send(
      'token' in answer ? { type: 'token', id: walletReply, ...answer } : { type: 'error', id: walletReply, ...answer },
    );
  } catch (error) {
    if ((error as Error).name !== 'AbortError')
      send({ type: 'error', id: walletReply, code: 'unavailable', message: '' });
  } finally {
    lock('wallet', false);
  }
}
