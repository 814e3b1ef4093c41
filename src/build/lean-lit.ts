import { minifySync, type Plugin } from 'vite';

type Piece = readonly [piece: string, instead: string];

/**
 * Pieces of Lit 3.3 that the script tag has no use for, by file, and what stands in for them: ways round what every
 * browser of the build's has, ways in for polyfills, decorators and pictures drawn by a server, and advice for whoever
 * writes styles; ours are written.
 */
const pieces: Readonly<Record<string, readonly Piece[]>> = {
  '@lit/reactive-element/css-tag.js': [
    [
      't.ShadowRoot&&(void 0===t.ShadyCSS||t.ShadyCSS.nativeShadow)&&"adoptedStyleSheets"in Document.prototype&&"replace"in CSSStyleSheet.prototype',
      '!0',
    ],
    [
      `"Value passed to 'css' function must be a 'css' function result: "+t+". Use 'unsafeCSS' to pass non-literal values, but take care to ensure page security."`,
      '"css"',
    ],
    ['"CSSResult is not constructable. Use `unsafeCSS` or `css` instead."', '"css"'],
  ],
  '@lit/reactive-element/reactive-element.js': [
    [',p=a.reactiveElementPolyfillSupport', ''],
    ['p?.({ReactiveElement:y}),', ''],
    ['Symbol.metadata??=Symbol("metadata"),a.litPropertyMetadata??=new WeakMap;', ''],
    [
      'const t=this[Symbol.metadata];if(null!==t){const s=litPropertyMetadata.get(t);if(void 0!==s)for(const[t,i]of s)this.elementProperties.set(t,i)}',
      '',
    ],
  ],
  'lit-element/lit-element.js': [
    [',s.litElementHydrateSupport?.({LitElement:i});const o=s.litElementPolyfillSupport;o?.({LitElement:i});', ';'],
  ],
  'lit-html/lit-html.js': [[',B=t.litHtmlPolyfillSupport;B?.(S,k),', ';']],
};

/**
 * What Lit's parts call each other by. They keep these names in packages that are loaded apart; in the script tag all of
 * Lit is in the one file `core`.
 */
const privateNames = /^_\$/;

/** Takes those pieces out and shortens those names. Fails the build when Lit has other words for the pieces. */
export function leanLit(core: string): Plugin {
  return {
    name: 'lean-lit',
    generateBundle(_options, bundle) {
      const chunk = bundle[core];
      if (chunk?.type !== 'chunk') return;
      const options = { module: true, compress: false, mangle: false, mangleProps: { include: privateNames } };
      chunk.code = minifySync(core, chunk.code, options).code;
    },
    transform(code, id) {
      const file = Object.keys(pieces).find(name => id.replaceAll('\\', '/').endsWith(`/${name}`));
      if (!file) return null;
      return (pieces[file] ?? []).reduce((text, [piece, instead]) => {
        if (!text.includes(piece)) this.error(`Lit no longer has ${piece}`);
        return text.replace(piece, () => instead);
      }, code);
    },
  };
}
