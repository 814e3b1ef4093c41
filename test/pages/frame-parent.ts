import type { FrameLocator, Page } from 'playwright';
import type { CardFrameReply, CardFrameRequest } from '../../src/api/card-frame.ts';

/** A page that shows the frame as the element does, and stores all of its messages. */
export interface FrameParent {
  readonly page: Page;
  readonly frame: FrameLocator;
  /** The messages that the frame has sent over its port. */
  said(): Promise<CardFrameReply[]>;
  /** Sends the requests without pauses. */
  ask(...requests: CardFrameRequest[]): Promise<void>;
  /** Waits for the next answer to a submit. */
  answer(id: string): Promise<CardFrameReply>;
}

const session = 'A1b2C3d4E5f6G7h8I9j0K1';

const appearance = {
  scheme: 'light',
  ink: '#10151d',
  inkSecond: '#4c5665',
  inkThird: '#687282',
  line: '#e3e7ec',
  field: '#ffffff',
  accent: '#2f5bea',
  bad: '#b3261e',
  fieldRadius: '10px',
  fontFamily: 'system-ui, sans-serif',
  fontSize: '16px',
};

/** Changes to the frame's URL and to the first message. */
export interface Handshake {
  readonly appearance?: Readonly<Record<string, string>>;
  readonly dir?: 'ltr' | 'rtl';
  /** Wrong session or parent origin in the frame's URL. */
  readonly session?: string;
  readonly parent?: string;
}

/**
 * Adds the frame to the page and connects to it. Resolves when the frame has loaded and received the connect message.
 */
export async function showFrame(page: Page, frameUrl: string, handshake: Handshake = {}): Promise<FrameParent> {
  const hello = {
    type: 'pay-card:connect',
    session,
    appearance: { ...appearance, ...handshake.appearance },
    locale: 'en',
    dir: handshake.dir ?? 'ltr',
    brands: ['visa', 'mastercard', 'amex', 'unionpay'],
    strings: null,
  };
  await page.evaluate(connectFrame, {
    frameUrl,
    hello,
    session: handshake.session ?? session,
    parent: handshake.parent ?? null,
  });
  const said = () => page.evaluate(() => (window as unknown as { said: CardFrameReply[] }).said);
  return {
    page,
    frame: page.frameLocator('iframe'),
    said,
    ask: (...requests) =>
      page.evaluate(messages => {
        for (const message of messages) (window as unknown as { port: MessagePort }).port.postMessage(message);
      }, requests),
    answer: async id => {
      await page.waitForFunction(
        wanted => (window as unknown as { said: { id?: string }[] }).said.some(reply => reply.id === wanted),
        id,
      );
      return (await said()).find(reply => 'id' in reply && reply.id === id) as CardFrameReply;
    },
  };
}

/** Runs in the page. */
async function connectFrame(given: { frameUrl: string; hello: object; session: string; parent: string | null }) {
  const page = window as unknown as { said: unknown[]; heard: unknown[]; port: MessagePort };
  page.said = [];
  page.heard = [];
  window.addEventListener('message', event => page.heard.push(event.data));
  const iframe = document.createElement('iframe');
  iframe.title = 'Card details';
  iframe.style.cssText = 'border:0; inline-size:100%; block-size:400px';
  const parent = encodeURIComponent(given.parent ?? location.origin);
  iframe.src = `${given.frameUrl}#session=${given.session}&parent=${parent}`;
  await new Promise(resolve => {
    iframe.addEventListener('load', resolve, { once: true });
    document.body.append(iframe);
  });
  const { port1, port2 } = new MessageChannel();
  page.port = port1;
  port1.onmessage = event => page.said.push(event.data);
  iframe.contentWindow?.postMessage(given.hello, new URL(given.frameUrl).origin, [port2]);
}
