/** A page of the demo: which built document it is made of, and what that document says on it. */
export interface DemoPage {
  readonly document: 'index' | 'wallet';
  readonly title: string;
  /** What the document's script shows. */
  readonly name: string;
  /** A classic script that the page loads before its own. */
  readonly script?: string;
}

/** The paths of the demo's pages. */
export const demoPages: Readonly<Record<string, DemoPage>> = {
  '/demo/': { document: 'index', title: 'Nordlys Supply', name: 'shelf' },
  '/demo/script-tag': {
    document: 'index',
    title: 'Checkout with a script tag · Nordlys Supply',
    name: 'script-tag',
    script: '/pay-checkout.js',
  },
  '/demo/proxy': { document: 'index', title: 'Checkout through the shop’s proxy · Nordlys Supply', name: 'proxy' },
  '/demo/redirect': { document: 'index', title: 'Checkout on the hosted page · Nordlys Supply', name: 'redirect' },
  '/demo/order': { document: 'index', title: 'Your order · Nordlys Supply', name: 'order' },
  '/demo/wallet': { document: 'wallet', title: 'Pocket wallet · Nordlys Supply', name: 'wallet' },
};

/** The page, from its document as it was built. Throws an Error where the document has no place for what is to be said. */
export function pageText(document: string, { title, name, script }: DemoPage): string {
  const titled = filled(document, /<title>[^<]*<\/title>/, `<title>${title}</title>`);
  const named = filled(titled, /<body data-page="[^"]*"/, `<body data-page="${name}"`);
  return script === undefined ? named : filled(named, /<\/head>/, `<script src="${script}"></script></head>`);
}

function filled(document: string, place: RegExp, text: string): string {
  if (!place.test(document)) throw new Error(`the demo's document has no ${place.source}`);
  return document.replace(place, text);
}
