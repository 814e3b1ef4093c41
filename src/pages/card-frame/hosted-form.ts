import {
  type CardFormReply,
  type CardFormRequest,
  type CardFrameReply,
  type CardFrameRequest,
  walletReply,
} from '../../api/card-frame.ts';
import { fetchToken } from './token.ts';

/** Highest form, in CSS pixels. */
const mostHeight = 2000;

/** Connects the element with the acquirer's own form in this document. Accepts messages of the form's origin only. */
export function connectForm(port: MessagePort, { form = '', expires = '' }: DOMStringMap): void {
  const frame = document.querySelector('iframe') as HTMLIFrameElement;
  const { origin } = new URL(form);
  const waiting: string[] = [];
  const send = (reply: CardFrameReply) => port.postMessage(reply);
  const answer = (reply: { type: 'token'; token: string; brand: string; last4: string } | Failure) => {
    for (const id of waiting.length > 0 ? waiting.splice(0) : [walletReply]) send({ ...reply, id });
  };
  port.onmessage = ({ data }: MessageEvent<CardFrameRequest>) => {
    if (data.type === 'focus') frame.focus();
    if (data.type !== 'submit') return;
    waiting.push(data.id);
    const request: CardFormRequest = { type: 'submit' };
    frame.contentWindow?.postMessage(request, origin);
  };
  addEventListener('message', ({ source, origin: from, data }: MessageEvent<CardFormReply>) => {
    if (source !== frame.contentWindow || from !== origin) return;
    if (data.type === 'token')
      void fetchToken('form-tokens', { token: data.token }).then(made => answer(replyOf(made)));
    if (data.type === 'error') answer({ type: 'error', code: 'invalid_token', message: String(data.message) });
    if (data.type === 'resize') resize(Math.min(Number(data.height), mostHeight));
  });
  const resize = (height: number) => {
    frame.style.height = `${height}px`;
    send({ type: 'resize', height });
  };
  Object.assign(frame.style, { inlineSize: '100%', border: '0' });
  frame.src = form;
  // A new document opens a new form. The element connects to it again.
  setTimeout(() => location.reload(), Number(expires));
  send({ type: 'ready' });
}

interface Failure {
  readonly type: 'error';
  readonly code: string;
  readonly message: string;
}

const replyOf = (made: Awaited<ReturnType<typeof fetchToken>>) =>
  'token' in made ? ({ type: 'token', ...made } as const) : ({ type: 'error', ...made } as const);
