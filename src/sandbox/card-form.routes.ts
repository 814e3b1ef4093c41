import type { FastifyInstance, FastifyReply } from 'fastify';
import { systemClock } from '../core/clock.ts';
import type { CardRail } from '../server/rails/card-rail.ts';

const path = '/sandbox/card-form/';
const options = { schema: { hide: true }, config: { access: 'public' } } as const;

/** Seconds until a form no longer makes tokens. */
const formSeconds = 3600;

/** The form of the acquirer, below the service's public URL. It gives its tokens to pages of `parent` only. */
export function sandboxForm(publicUrl: string, { parent, now }: { readonly parent: string; readonly now: Date }) {
  const url = `${publicUrl}${path}?${new URLSearchParams({ parent })}`;
  return { url, expiresAt: new Date(now.getTime() + formSeconds * 1000) };
}

const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Card</title>
<label>Card number at the acquirer <input id="number" inputmode="numeric" autocomplete="cc-number"></label>
<script type="module" src="form.js"></script></html>`;

const script = `const parentOrigin = new URLSearchParams(location.search).get('parent');
const say = reply => parent.postMessage(reply, parentOrigin);
addEventListener('message', async ({ source, origin, data }) => {
  if (source !== parent || origin !== parentOrigin || data.type !== 'submit') return;
  const body = JSON.stringify({ number: document.querySelector('input').value });
  const response = await fetch('tokens', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const answer = await response.json();
  say(response.ok ? { type: 'token', token: answer.token } : { type: 'error', message: answer.error.message });
});
say({ type: 'resize', height: 60 });
`;

/** Registers `/sandbox/card-form/`, the own card fields of an acquirer. */
export function registerSandboxForm(app: FastifyInstance, card: Pick<CardRail, 'tokenize'>): void {
  app.get(path, options, (_, reply) => protect(reply).type('text/html; charset=utf-8').send(page));
  app.get(`${path}form.js`, options, (_, reply) => protect(reply).type('text/javascript; charset=utf-8').send(script));
  app.post<{ Body: { number: string } }>(`${path}tokens`, options, async request => {
    const now = systemClock.now();
    const typed = { number: String(request.body.number), expiryMonth: 12, expiryYear: now.getUTCFullYear() + 1 };
    return await card.tokenize({ ...typed, cvc: '123', name: null }, now);
  });
}

function protect(reply: FastifyReply): FastifyReply {
  return reply.removeHeader('x-frame-options').headers({
    'content-security-policy': "default-src 'none'; script-src 'self'; connect-src 'self'; frame-ancestors *",
    'cache-control': 'no-store',
  });
}
