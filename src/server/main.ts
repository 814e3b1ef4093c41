import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Compiled sources are kept beside the installed packages and make the next start faster; where that cannot be, nothing is lost.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/pay-checkout'));

const { serve } = await import('./serve.ts');
await serve();
