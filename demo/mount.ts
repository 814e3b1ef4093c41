import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { toNodeHandler } from '../src/proxy/index.ts';
import { type Policy, protectPage } from '../src/server/http/page-policy.ts';
import { createDemoShop, type ShopKeys } from './shop-server.ts';

export { shopWebhookUrl } from './server/shop-news.ts';

/** What the demo shop needs of the service it is shown with. */
export interface DemoMount {
  /** The folder of the browser build. */
  readonly browserDir: string;
  /** Address under which browsers reach the service, without a slash at its end. */
  readonly publicUrl: () => string;
  readonly testKeys: () => Promise<ShopKeys>;
}

/** Paths of the shop's pages, each with its file in the browser build. */
const pages = {
  '/demo/': 'index',
  '/demo/script-tag': 'script-tag',
  '/demo/proxy': 'proxy',
  '/demo/redirect': 'redirect',
  '/demo/order': 'order',
} as const;

/** A shop's policy as it should be: its own files and the payment service's, nothing inline, no string that becomes code. */
const policy: Policy = {
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'img-src': ["'self'", 'data:', 'https:'],
  'connect-src': ["'self'"],
  'frame-src': ["'self'"],
  'form-action': ["'self'"],
  'frame-ancestors': ["'none'"],
  'require-trusted-types-for': ["'script'"],
  'trusted-types': ['lit-html'],
};

const hidden = { config: { access: 'public' }, schema: { hide: true } } as const;

/**
 * Puts the demo shop under `/demo/`: its pages, and its back end under `/demo/api/`, which speaks with the service over
 * HTTP as any shop's would. Throws an Error that says what to run when the browser build lacks the pages.
 */
export function mountDemoShop(http: FastifyInstance, { browserDir, publicUrl, testKeys }: DemoMount): void {
  const serviceUrl = () => ownAddress(http) ?? publicUrl();
  const shop = createDemoShop({ baseUrl: publicUrl, serviceUrl, keys: testKeys });
  const handle = toNodeHandler(shop.handle);
  http.addHook('preClose', async () => shop.close());
  http.get('/demo', hidden, (_request, reply) => reply.redirect('/demo/', 308));
  for (const [path, file] of Object.entries(pages)) {
    const page = readPage(join(browserDir, 'demo', `${file}.html`));
    http.get(path, hidden, (request, reply) => {
      const cookie = shop.cookieFor(request.headers.cookie ?? null);
      if (cookie !== null) reply.header('set-cookie', cookie);
      return protectPage(reply, policy).send(page);
    });
  }
  void http.register(async api => {
    // The shop reads bodies for itself, as a shop on another machine would.
    api.removeAllContentTypeParsers();
    api.addContentTypeParser('*', (_request, _payload, done) => done(null));
    api.route({
      ...hidden,
      method: ['GET', 'POST', 'OPTIONS'],
      url: '/demo/api/*',
      handler: (request, reply) => {
        reply.hijack();
        handle(request.raw, reply.raw);
      },
    });
  });
}

function readPage(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(`The browser build has no ${file}. Run: npm run build`, { cause });
  }
}

/** Where this process listens, as it can be reached from itself; null while it does not. */
function ownAddress(http: FastifyInstance): string | null {
  const address = http.server.address();
  if (address === null || typeof address === 'string') return null;
  const host = ['0.0.0.0', '::'].includes(address.address) ? '127.0.0.1' : address.address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}
