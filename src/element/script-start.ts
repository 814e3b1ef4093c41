import { setScriptOrigin } from './state/checkout-config.ts';
import { callEarly } from './state/early-call.ts';

setScriptOrigin(new URL(import.meta.url).origin);
callEarly();
