#!/usr/bin/env node
import module, { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';

if (!isBuiltin('node:sqlite')) {
  console.error(
    `pay-checkout needs Node 22.13 or newer; this is ${process.version}. "npx -p node@24 -p pay-checkout-server pay-checkout-server" brings one along, and so does "npm run serve" in the repository.`,
  );
  process.exit(1);
}

// Without this flag, V8 keeps objects of busy requests until a full garbage collection: 60 MB more after 10,000
// payments.
setFlagsFromString('--no-allocation-site-pretenuring');

// Caches compiled code next to the installed packages, so that the next start is faster. Has no effect in a read-only
// folder.
module.enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/pay-checkout'));

const { runProgram } = await import('./program.ts');
await runProgram(process.argv.slice(2));
