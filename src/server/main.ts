import module, { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';

if (!isBuiltin('node:sqlite')) {
  console.error(
    `pay-checkout needs Node 22.13 or newer; this is ${process.version}. "npm run serve" starts it with the Node that it brings.`,
  );
  process.exit(1);
}

// Without this flag, V8 keeps objects of busy requests until a full garbage collection: 60 MB more after 10,000
// payments.
setFlagsFromString('--no-allocation-site-pretenuring');

// Caches compiled code next to the installed packages, so that the next start is faster. Has no effect in a read-only
// folder.
module.enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/pay-checkout'));

const { serve } = await import('./serve.ts');
await serve();
