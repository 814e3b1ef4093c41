import type { Plugin } from 'vite';

/** The module of Vite that loads the style sheets and imports of a chunk before the chunk itself. */
const helper = '\0vite/preload-helper.js';

/**
 * Makes `import()` load only the chunk itself. The pages' chunks have no style sheets and no further imports, so Vite's
 * helper would only add 600 bytes (brotli) to a page.
 */
export function plainImports(): Plugin {
  return {
    name: 'plain-imports',
    enforce: 'pre',
    load: id => (id === helper ? 'export const __vitePreload = load => load();' : null),
  };
}
