import { Type } from 'typebox';
import { PayError } from '../../../core/error.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';

/** The part of a connector that receives callbacks. */
interface CallbackReceiver {
  /** The rail. Two connectors of one operator have the same id: one pays, one collects. */
  readonly id: string;
  /**
   * Receives a callback, and makes its order or attempt due, so that the service soon asks the rail for its state.
   * Returns false for an unknown URL.
   */
  receive(token: string, body: string): Promise<boolean>;
}

export interface CallbackDeps {
  readonly receivers: readonly CallbackReceiver[];
}

/** Longest body of a callback, in bytes. */
const longestBody = 65_536;

/** M-Pesa expects these fields. MTN reads only the HTTP status. */
const accepted = { ResultCode: 0, ResultDesc: 'Accepted' } as const;

const params = Type.Object({ rail: Type.String(), token: Type.String() });

/**
 * `/rails/:rail/callbacks/:token`, where providers report on orders and prompts. The token is secret and belongs to one of them. The
 * route accepts every body, because the connector checks it. MTN calls by POST or by PUT.
 */
export function registerCallbackRoutes(app: HttpApp, { receivers }: CallbackDeps): void {
  app.register(async (scope: HttpApp) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: longestBody }, (_, text, done) => done(null, text));
    scope.route({
      method: ['POST', 'PUT'],
      url: '/rails/:rail/callbacks/:token',
      schema: { params, hide: true },
      config: { access: 'public' },
      handler: async request => {
        const { rail, token } = request.params as { rail: string; token: string };
        const body = typeof request.body === 'string' ? request.body : '';
        for (const receiver of receivers.filter(({ id }) => id === rail)) {
          if (await receiver.receive(token, body)) return accepted;
        }
        throw new PayError('resource_missing', 'No order has this address.');
      },
    });
  });
}
