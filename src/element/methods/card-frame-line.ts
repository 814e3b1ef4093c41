import {
  type CardFrameAppearance,
  type CardFrameConnect,
  type CardFrameReply,
  type CardFrameRequest,
  cardFrameConnect,
  cardFrameHash,
} from '../../api/card-frame.ts';
import { randomText } from '../../core/id.ts';

/** The address when it is one of http or https; both kinds that a frame is given come from the service. */
export function webUrl(text = ''): URL | null {
  try {
    return /^https?:\/\//.test(text) ? new URL(text) : null;
  } catch {
    return null;
  }
}

/** What the frame is told at first, and who hears what it says. */
export interface CardFrameOptions {
  /** `options.card.frame_url`, checked to be http or https. */
  readonly url: URL;
  /** Spoken name of the frame. */
  readonly title: string;
  readonly hello: () => Omit<CardFrameConnect, 'type' | 'session'>;
  readonly onReady: () => void;
  /** Enter was pressed in the frame. */
  readonly onSubmit: () => void;
  /** The frame has not answered in time. */
  readonly onSilence: () => void;
}

/** What a request for a token can come to. */
export type TokenReply = Extract<CardFrameReply, { id: string }>;

/** The line to one card frame. */
export interface CardFrameLine {
  send(request: CardFrameRequest): void;
  /** Always answers: a frame that does not is an `error` without a message. */
  askForToken(): Promise<TokenReply>;
  close(): void;
}

/** Longer than the frame's document takes on most lines; after that there is a way to try again. One that still comes counts. */
const silenceMs = 8000;
/** Longer than the service takes to make a token. */
const patienceMs = 45_000;

/**
 * Puts the card frame into the element's light DOM, where browsers fill in cards, and opens the line to it. Only the
 * frame's exact origin gets the port; what comes over another way is not listened to at all.
 */
export function openCardFrame(element: HTMLElement, options: CardFrameOptions): CardFrameLine {
  const session = randomText(22);
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
    else if ('id' in reply) waiting.get(reply.id)?.(reply);
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
      const id = randomText(22);
      send({ type: 'submit', id });
      return new Promise(answer => {
        waiting.set(id, answer);
        setTimeout(() => answer({ type: 'error', id, code: 'card_frame_silent', message: '' }), patienceMs);
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
  // An isolated page (COEP) takes only frames that say so themselves, or that come without credentials.
  if (globalThis.crossOriginIsolated) frame.setAttribute('credentialless', '');
  for (const [name, value] of Object.entries(look)) frame.style.setProperty(name, value, 'important');
  // Until it answers it may be the browser's own page for what it could not load.
  frame.style.setProperty('visibility', 'hidden', 'important');
  setHeight(frame, usualHeight);
  return frame;
}

/** The frame's own height with nothing wrong in it, px. */
const usualHeight = 259;

/** Set by the object model, which no content security policy forbids, and important, since the page's CSS reaches light DOM. */
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

/** The element's look as the frame takes it: computed values, read off a hidden probe that wears every token. */
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
