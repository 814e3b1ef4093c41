import type { Ledger } from '../ledger.ts';

/** What a request sees of the network: the newest ledger, or one that lies a few back while a fault makes reads stale. */
export type HorizonView = Omit<Ledger, 'submit' | 'close' | 'load'>;
