import {
  type CardFrameAppearance,
  type CardFrameConnect,
  type CardFrameReply,
  type CardFrameRequest,
  cardFrameConnect,
  cardFrameHash,
  walletReply,
} from '../../api/card-frame.ts';
import { newKey } from '../state/checkout-api.ts';

/** The URL if it is http or https, otherwise null. */
export function webUrl(text = ''): URL | null {
  try {
    return /^https?:\/\//.test(text) ? new URL(text) : null;
  } catch {
    return null;
  }
}

/** URL and name of the frame, the first message to it, and the handlers of its messages. */
export interface CardFrameOptions {
  /** `options.card.frame_url`, checked to be http or https. */
  readonly url: URL;
  /** Accessible name of the frame. */
  readonly title: string;
  readonly hello: () => Omit<CardFrameConnect, 'type' | 'session'>;
  readonly onReady: () => void;
  /** The payer pressed Enter in the frame. */
  readonly onSubmit: () => void;
  /** The payer used a wallet button of the frame. */
  readonly onWallet: (reply: TokenReply) => void;
  /** The frame did not answer in time. */
  readonly onSilence: () => void;
}

/** The answer to a request for a token. */
export type TokenReply = Extract<CardFrameReply, { id: string }>;

/** The connection to one card frame. */
export interface CardFrameConnection {
  send(request: CardFrameRequest): void;
  /** Always resolves. If the frame does not answer in time, the reply is an `error` with an empty message. */
  askForToken(): Promise<TokenReply>;
  close(): void;
}

/** Milliseconds after which the payer can reload a frame that has not answered. A later answer still counts. */
const silenceMs = 8000;
/** Milliseconds to wait for a token. The service needs less to create one. */
const timeoutMs = 45_000;

/**
 * Adds the card frame to the element's light DOM, where browsers can autofill it, and connects to it. Only the frame's
 * exact origin gets the message port. Messages that do not use the port are ignored.
 */
export function openCardFrame(element: HTMLElement, options: CardFrameOptions): CardFrameConnection {
  const session = newKey();
  const frame = createFrame(options, session);
  const waiting = new Map<string, (reply: TokenReply) => void>();
  const silence = setTimeout(options.onSilence, silenceMs);
  let port: MessagePort | undefined;

  function hear(reply: CardFrameReply): void {
    if (reply.type === 'ready') {
      clearTimeout(silence);
      frame.style.removeProperty('visibility');
      options.onReady();
    } else if (reply.type === 'resize') setHeight(frame, reply.height);
    else if (reply.type === 'submit-request') options.onSubmit();
    else if ('id' in reply) (reply.id === walletReply ? options.onWallet : waiting.get(reply.id))?.(reply);
  }

  frame.addEventListener('load', () => {
    const { port1, port2 } = new MessageChannel();
    port?.close();
    port = port1;
    port1.onmessage = ({ data }: MessageEvent<CardFrameReply>) => hear(data);
    const hello: CardFrameConnect = { type: cardFrameConnect, session, ...options.hello() };
    frame.contentWindow?.postMessage(hello, options.url.origin, [port2]);
  });
  element.append(frame);

  const send = (request: CardFrameRequest) => port?.postMessage(request);
  return {
    send,
    askForToken() {
      const id = newKey();
      send({ type: 'submit', id });
      return new Promise(answer => {
        waiting.set(id, answer);
        setTimeout(() => answer({ type: 'error', id, code: 'card_frame_silent', message: '' }), timeoutMs);
      });
    },
    close() {
      clearTimeout(silence);
      port?.close();
      frame.remove();
    },
  };
}

function createFrame({ url, title }: CardFrameOptions, session: string): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  const hash = new URLSearchParams({ [cardFrameHash.session]: session, [cardFrameHash.parent]: location.origin });
  frame.src = `${url.href.split('#')[0]}#${hash}`;
  frame.slot = 'card';
  frame.title = title;
  frame.allow = 'payment';
  // An isolated page (COEP) allows only frames that opt in, or that load without credentials.
  if (globalThis.crossOriginIsolated) frame.setAttribute('credentialless', '');
  for (const [name, value] of Object.entries(look)) frame.style.setProperty(name, value, 'important');
  // Hides the frame until it answers, because it may contain the browser's own error page.
  frame.style.setProperty('visibility', 'hidden', 'important');
  setHeight(frame, usualHeight);
  return frame;
}

/** Height of the frame without error messages, in CSS pixels. */
const usualHeight = 259;

/** Styles set as `important`, because the page's CSS also applies to light DOM. A CSP does not block such styles. */
const look = {
  display: 'block',
  width: '100%',
  'min-width': '0',
  'max-width': 'none',
  'min-height': '0',
  'max-height': 'none',
  margin: '0',
  padding: '0',
  border: '0',
  background: 'none',
};

function setHeight(frame: HTMLIFrameElement, height: number): void {
  frame.style.setProperty('height', `${Math.ceil(height)}px`, 'important');
}

/** The element's look for the frame. Reads the computed styles of a hidden element that uses every theme colour. */
export function readAppearance(root: ParentNode): CardFrameAppearance {
  const probe = root.querySelector('.probe') ?? document.body;
  const look = getComputedStyle(probe);
  return {
    scheme: look.colorScheme === 'dark' ? 'dark' : 'light',
    ink: look.color,
    field: look.backgroundColor,
    line: look.borderTopColor,
    inkSecond: look.borderRightColor,
    inkThird: look.borderBottomColor,
    accent: look.borderLeftColor,
    bad: look.outlineColor,
    fieldRadius: look.borderTopLeftRadius,
    fontFamily: look.fontFamily,
    fontSize: look.fontSize,
  };
}
