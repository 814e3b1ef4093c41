import module, { isBuiltin } from 'node:module';
import { join } from 'node:path';

if (!isBuiltin('node:sqlite')) {
  console.error(
    `pay-checkout needs Node 22.13 or newer; this is ${process.version}. "npm run serve" starts it with the Node that it brings.`,
  );
  process.exit(1);
}

// Keeps compiled code beside the installed packages, so that the next start is faster. Does nothing where that folder is read-only.
module.enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/pay-checkout'));

const { serve } = await import('./serve.ts');
await serve();
