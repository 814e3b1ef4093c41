import {
  type CardFrameConnect,
  type CardFrameReply,
  type CardFrameRequest,
  cardFrameConnect,
  cardFrameHash,
} from '../../../src/api/card-frame.ts';

/**
 * A card frame for tests. The typed text decides the result of a submit. An empty text gives `invalid`; `error` and
 * `offline` give errors. Any other text is the token.
 */
const address = new URLSearchParams(location.hash.slice(1));
const input = document.querySelector('#number') as HTMLInputElement;

/** The messages to the frame, for tests to read. */
declare global {
  var connected: { hello: CardFrameConnect; requests: CardFrameRequest[]; port: MessagePort } | undefined;
}

function answer(request: Extract<CardFrameRequest, { type: 'submit' }>): CardFrameReply {
  const { id } = request;
  const token = input.value;
  if (token === '') {
    return { type: 'invalid', id, fields: [{ field: 'number', message: 'Enter the card number.' }] };
  }
  if (token === 'error') return { type: 'error', id, code: 'unavailable', message: 'The card could not be checked.' };
  if (token === 'offline') return { type: 'error', id, code: 'offline', message: 'You are offline. Connect.' };
  return { type: 'token', id, token, brand: 'visa', last4: '4242' };
}

function connect(event: MessageEvent<CardFrameConnect>): void {
  const [port] = event.ports;
  const isOurs =
    event.origin === address.get(cardFrameHash.parent) &&
    event.data.type === cardFrameConnect &&
    event.data.session === address.get(cardFrameHash.session);
  if (!isOurs || !port || globalThis.connected) return;
  const requests: CardFrameRequest[] = [];
  globalThis.connected = { hello: event.data, requests, port };
  const send = (reply: CardFrameReply) => port.postMessage(reply);
  port.onmessage = ({ data }: MessageEvent<CardFrameRequest>) => {
    requests.push(data);
    if (data.type === 'submit') send(answer(data));
    if (data.type === 'disable') input.readOnly = data.value;
  };
  input.addEventListener('keydown', ({ key }) => key === 'Enter' && send({ type: 'submit-request' }));
  send({ type: 'ready' });
  send({ type: 'resize', height: 120 });
}

addEventListener('message', connect);
