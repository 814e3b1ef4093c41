import type { Plugin } from 'vite';

/** What Lit asks of the browser before it uses constructable style sheets, in the file of `@lit/reactive-element` 2.1. */
const question =
  't.ShadowRoot&&(void 0===t.ShadyCSS||t.ShadyCSS.nativeShadow)&&"adoptedStyleSheets"in Document.prototype&&"replace"in CSSStyleSheet.prototype';

/**
 * Answers for Lit that style sheets can be constructed, as they can in every browser the build is for, so that the ways
 * round it are left out of the script tag. Fails the build when Lit asks in other words.
 */
export function leanLit(): Plugin {
  return {
    name: 'lean-lit',
    transform(code, id) {
      if (!/@lit[/\\]reactive-element[/\\]css-tag\.js$/.test(id)) return null;
      if (!code.includes(question)) this.error('Lit no longer asks for constructable style sheets as it did');
      return code.replace(question, '!0');
    },
  };
}
