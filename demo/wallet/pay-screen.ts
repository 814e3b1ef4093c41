import { isStellarAddress } from '../../src/core/stellar/strkey.ts';
import { h, icon } from '../shop/dom.ts';
import { button, note, screenHead, skeleton, walletIcons } from './elements.ts';
import { reviewPayment } from './payment-review.ts';
import { CameraProblem, readCodeInFile, scanWithCamera } from './qr-scanner.ts';
import { checkOrigin, LinkProblem, readSep7Link, type Sep7Link } from './sep7-link.ts';
import { reviewTransaction } from './transaction-review.ts';
import type { Screen, ScreenPlace } from './wallet-store.ts';

/** The pay screen: scans a code or reads a link. A link in the page's address opens its payment. */
export const showPay: Screen = given => {
  if (given.given === null) showScanner(given);
  else showLink(given, given.given);
};

/** Opens the request of a code or a link. A bare address is a request without an amount. */
function goTo(text: string): void {
  const trimmed = text.trim();
  const link = isStellarAddress(trimmed) ? `web+stellar:pay?destination=${trimmed}` : trimmed;
  location.hash = `pay=${encodeURIComponent(link)}`;
}

function showScanner({ place, signal }: ScreenPlace): void {
  const said = h('div', { class: 'said-place', 'aria-live': 'polite' });
  const say = (first: string, rest = '') => said.replaceChildren(note('warn', first, rest));
  const finder = h('div.finder');
  place.replaceChildren(
    screenHead('Pay'),
    finder,
    said,
    pictureChoice(say),
    linkForm(),
    h('p.third.small', 'The wallet shows what will be paid, and to whom, before anything is.'),
    ...linkHandling(),
  );
  finder.append(cameraStart(finder, signal, say));
  acceptPictures(place, signal, say);
}

type Say = (first: string, rest?: string) => void;

function cameraStart(finder: HTMLElement, signal: AbortSignal, say: Say): HTMLButtonElement {
  const start = button('quiet', [icon(walletIcons.scan), 'Scan with the camera'], async () => {
    start.disabled = true;
    try {
      const text = await scanWithCamera(finder, signal);
      if (text !== null) goTo(text);
    } catch (error) {
      if (!(error instanceof CameraProblem)) throw error;
      say('No camera.', error.message);
      finder.replaceChildren(start);
      start.disabled = false;
    }
  });
  return start;
}

async function readPicture(file: Blob, say: Say): Promise<void> {
  try {
    const text = await readCodeInFile(file);
    if (text === null) say('There is no code to be found in this picture.', 'One that is sharper or closer may do.');
    else goTo(text);
  } catch {
    say('This is not a picture.', 'Choose a screenshot or a photograph of the code.');
  }
}

function pictureChoice(say: Say): HTMLElement {
  const input = h('input', { type: 'file', accept: 'image/*', id: 'code-picture', class: 'hidden-input' });
  input.addEventListener('change', () => {
    const [file] = input.files ?? [];
    if (file) void readPicture(file, say);
    input.value = '';
  });
  const words = h('span', 'Choose or drop a picture of the code');
  return h('label', { class: 'picture-choice', for: 'code-picture' }, input, icon(walletIcons.picture), words);
}

/** Accepts a picture that is dropped on the screen or pasted. */
function acceptPictures(place: HTMLElement, signal: AbortSignal, say: Say): void {
  const take = (event: Event, files: FileList | undefined) => {
    const [file] = files ?? [];
    if (!file) return;
    event.preventDefault();
    void readPicture(file, say);
  };
  place.addEventListener('dragover', event => event.preventDefault(), { signal });
  place.addEventListener('drop', event => take(event, event.dataTransfer?.files), { signal });
  document.addEventListener('paste', event => take(event, event.clipboardData?.files), { signal });
}

function linkForm(): HTMLElement {
  const input = h('input', {
    id: 'link',
    name: 'link',
    required: true,
    autocomplete: 'off',
    spellcheck: 'false',
    autocapitalize: 'off',
    placeholder: 'web+stellar:pay?…',
  });
  const form = h(
    'form.field',
    h('label', { for: 'link' }, 'Or paste a payment link or an address'),
    h('span.field-line', input, h('button', { type: 'submit', class: 'button main' }, 'Look')),
  );
  form.addEventListener('submit', event => {
    event.preventDefault();
    goTo(input.value);
  });
  return form;
}

/** Registers the wallet as the browser's handler of payment links. */
function linkHandling(): HTMLElement[] {
  if (!('registerProtocolHandler' in navigator)) return [];
  const register = () => navigator.registerProtocolHandler('web+stellar', `${location.origin}/demo/wallet#pay=%s`);
  return [button('text', 'Open payment links with this wallet', register)];
}

/** Shows the request of a payment link, or a form to pay an address. */
function showLink(screen: ScreenPlace, text: string): void {
  const body = h('div.stack', skeleton(5));
  screen.place.replaceChildren(screenHead('Pay'), body);
  if (isStellarAddress(text.trim())) {
    const asked = { to: text.trim(), asset: null, amount: null, memo: null, message: null, network: null } as const;
    reviewPayment({ ...screen, place: body }, asked, { state: 'unsigned' });
    return;
  }
  const link = linkIn(text, body);
  if (link !== null) void showChecked({ ...screen, place: body }, link);
}

function linkIn(text: string, body: HTMLElement): Sep7Link | null {
  try {
    return readSep7Link(text);
  } catch (error) {
    if (!(error instanceof LinkProblem)) throw error;
    body.replaceChildren(note('bad', 'This cannot be paid.', error.message), otherCode());
    return null;
  }
}

/** The content of a forged link is never shown. */
async function showChecked(screen: ScreenPlace, link: Sep7Link): Promise<void> {
  const origin = await checkOrigin(link);
  if (screen.signal.aborted) return;
  if (origin.state === 'forged') {
    const text =
      'Its signature does not belong to the shop that it names, or the link was changed on the way. Do not pay it.';
    screen.place.replaceChildren(note('bad', 'This link is not what it says.', text), otherCode());
  } else if (link.kind === 'tx') {
    reviewTransaction(screen, link, origin);
  } else {
    const { destination: to, asset, amount, memo, message, networkPassphrase: network } = link;
    reviewPayment(screen, { to, asset, amount, memo, message, network }, origin);
  }
}

function otherCode(): HTMLElement {
  return h('a', { class: 'button quiet', href: '#pay' }, 'Scan another code');
}
