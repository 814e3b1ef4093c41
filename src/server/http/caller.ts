import type {} from 'fastify';
import type { Merchant } from '../merchants/merchant.ts';

/**
 * Who asks. `secret` holds a secret key; `publishable` holds a publishable key alone (may create from an allowed
 * origin); `payer` has proved the client secret of one payment.
 */
export interface Caller {
  readonly kind: 'secret' | 'publishable' | 'payer';
  readonly merchant: Merchant;
  readonly livemode: boolean;
  readonly keyId: string | null;
  readonly scopes: readonly string[];
  /** The payment whose client secret was proved; null unless `payer`. */
  readonly paymentId: string | null;
  /** The browser origin the request came from, when it came from one. */
  readonly origin: string | null;
  /** The present moment on the caller's clock (the test clock in test mode). */
  readonly now: Date;
}

/**
 * Who may use a route. `secret`: secret keys; `payer`: secret keys, and whoever proves the client secret of the
 * payment in `:id`; `create`: secret keys, and publishable keys from an allowed origin; `test`: as `secret`, in test
 * mode only; `public`: anybody.
 */
export type Access = 'secret' | 'payer' | 'create' | 'test' | 'public';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /** The scope a restricted secret key needs, for example `payments:write`. */
    scope?: string;
    /** Largest body in bytes where it differs from 1 MiB. */
    maxBody?: number;
  }
  interface FastifyRequest {
    /** Null on public routes only; `callerOf` gives it without null. */
    caller: Caller | null;
  }
}
