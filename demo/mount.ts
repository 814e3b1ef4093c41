import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { toNodeHandler } from '../src/proxy/index.ts';
import { type Policy, protectPage } from '../src/server/platform/pages/page-policy.ts';
import { createDemoShop, type ShopKeys } from './shop-server.ts';

export { shopWebhookUrl } from './server/shop-notifications.ts';

/** Parts of the service that the demo shop needs. */
interface DemoMount {
  /** The folder of the browser build. */
  readonly browserDir: string;
  /** Address under which browsers reach the service, without a slash at its end. */
  readonly publicUrl: () => string;
  readonly testKeys: () => Promise<ShopKeys>;
}

/** The shop's content security policy: own files only, except pictures; no inline code; Trusted Types. */
const shopPolicy: Policy = {
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

/** The phone's policy: it shows no frames. */
const phonePolicy: Policy = { ...shopPolicy, 'frame-src': ["'none'"] };

/** The wallet's policy. It may fetch `stellar.toml` from any site that requests a payment, and shows no frames. */
const walletPolicy: Policy = {
  ...shopPolicy,
  'connect-src': ["'self'", 'https:', 'http://localhost:*', 'http://127.0.0.1:*'],
  'frame-src': ["'none'"],
};

/** Security rules of each document. Only the wallet may use the camera, to scan QR codes. */
const rules: Readonly<Record<DemoPage['document'], { readonly policy: Policy; readonly devices: string | null }>> = {
  index: { policy: shopPolicy, devices: null },
  phone: { policy: phonePolicy, devices: null },
  wallet: { policy: walletPolicy, devices: 'camera=(self), microphone=(), geolocation=(), usb=()' },
};

const hidden = { config: { access: 'public' }, schema: { hide: true } } as const;

/**
 * Mounts the demo shop's pages under `/demo/` and its back end under `/demo/api/`. The back end calls the service over
 * HTTP, as any shop does. If the browser build lacks the pages, throws an Error that names the build command.
 */
export function mountDemoShop(http: FastifyInstance, { browserDir, publicUrl, testKeys }: DemoMount): void {
  const serviceUrl = () => ownAddress(http) ?? publicUrl();
  const shop = createDemoShop({ baseUrl: publicUrl, serviceUrl, keys: testKeys });
  const handle = toNodeHandler(shop.handle);
  http.addHook('preClose', async () => shop.close());
  http.get('/demo', hidden, (_request, reply) => reply.redirect('/demo/', 308));
  for (const [path, page] of Object.entries(demoPages)) {
    const text = pageText(readPage(join(browserDir, 'demo', `${page.document}.html`)), page);
    const { policy, devices } = rules[page.document];
    http.get(path, hidden, (request, reply) => {
      const cookie = shop.cookieFor(request.headers.cookie ?? null);
      if (cookie !== null) reply.header('set-cookie', cookie);
      const guarded = protectPage(reply, policy);
      return (devices === null ? guarded : guarded.header('permissions-policy', devices)).send(text);
    });
  }
  void http.register(async api => {
    // The shop parses request bodies itself, as a shop on another machine does.
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

/** URL for requests from this process to its own server; null while the server does not listen. */
function ownAddress(http: FastifyInstance): string | null {
  const address = http.server.address();
  if (address === null || typeof address === 'string') return null;
  const host = ['0.0.0.0', '::'].includes(address.address) ? '127.0.0.1' : address.address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}

/** A page of the demo, made from a built document. */
interface DemoPage {
  readonly document: 'index' | 'phone' | 'wallet';
  readonly title: string;
  /** Tells the document's script which page to show. */
  readonly name: string;
  /** A classic script to load before the page's own. */
  readonly script?: string;
}

const demoPages: Readonly<Record<string, DemoPage>> = {
  '/demo/': { document: 'index', title: 'Nordlys Supply', name: 'products' },
  '/demo/script-tag': {
    document: 'index',
    title: 'Checkout with a script tag · Nordlys Supply',
    name: 'script-tag',
    script: '/pay-checkout.js',
  },
  '/demo/proxy': { document: 'index', title: 'Checkout through the shop’s proxy · Nordlys Supply', name: 'proxy' },
  '/demo/redirect': { document: 'index', title: 'Checkout on the hosted page · Nordlys Supply', name: 'redirect' },
  '/demo/order': { document: 'index', title: 'Your order · Nordlys Supply', name: 'order' },
  '/demo/payouts': { document: 'index', title: 'Pay 1,000 people · Nordlys Supply', name: 'payouts' },
  '/demo/phone': { document: 'phone', title: 'Phone · Nordlys Supply', name: 'phone' },
  '/demo/wallet': { document: 'wallet', title: 'Pocket wallet · Nordlys Supply', name: 'wallet' },
};

/**
 * Fills a page's title, name and script into its built document. Throws an Error when the document lacks a placeholder.
 */
function pageText(document: string, { title, name, script }: DemoPage): string {
  const titled = filled(document, /<title>[^<]*<\/title>/, `<title>${title}</title>`);
  const named = filled(titled, /<body data-page="[^"]*"/, `<body data-page="${name}"`);
  return script === undefined ? named : filled(named, /<\/head>/, `<script src="${script}"></script></head>`);
}

function filled(document: string, place: RegExp, text: string): string {
  if (!place.test(document)) throw new Error(`the demo's document has no ${place.source}`);
  return document.replace(place, text);
}
