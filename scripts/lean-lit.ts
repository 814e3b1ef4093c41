import type { Plugin } from 'vite';

/** Pieces of `@lit/reactive-element` 2.1 that the script tag has no use for, and what stands in for them. */
const pieces: readonly (readonly [string, string])[] = [
  // Every browser the build is for has constructable style sheets: the ways round them are left out.
  [
    't.ShadowRoot&&(void 0===t.ShadyCSS||t.ShadyCSS.nativeShadow)&&"adoptedStyleSheets"in Document.prototype&&"replace"in CSSStyleSheet.prototype',
    '!0',
  ],
  // Advice for whoever writes styles; ours are written.
  [
    `"Value passed to 'css' function must be a 'css' function result: "+t+". Use 'unsafeCSS' to pass non-literal values, but take care to ensure page security."`,
    '"css"',
  ],
  ['"CSSResult is not constructable. Use `unsafeCSS` or `css` instead."', '"css"'],
];

/** Takes those pieces out. Fails the build when Lit has other words for them. */
export function leanLit(): Plugin {
  return {
    name: 'lean-lit',
    transform(code, id) {
      if (!/@lit[/\\]reactive-element[/\\]css-tag\.js$/.test(id)) return null;
      return pieces.reduce((text, [piece, instead]) => {
        if (!text.includes(piece)) this.error(`Lit no longer has ${piece}`);
        return text.replace(piece, instead);
      }, code);
    },
  };
}
