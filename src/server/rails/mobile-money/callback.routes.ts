import { Type } from 'typebox';
import { PayError } from '../../../core/error.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import type { MobileMoneyConnector, OrderKey } from './connector.ts';

export interface CallbackDeps {
  readonly connectors: readonly MobileMoneyConnector[];
  /** Makes the order due, so that the service soon asks the rail for its state. */
  readonly askAgain: (connector: MobileMoneyConnector, order: OrderKey) => Promise<void>;
}

/** Longest body of a callback, in bytes. */
const longestBody = 65_536;

const params = Type.Object({ rail: Type.String(), token: Type.String() });

/**
 * `/rails/:rail/callbacks/:token`, where providers report on orders. The token is secret and belongs to one order. The
 * route accepts every body, because the connector checks it. MTN calls by POST or by PUT.
 */
export function registerCallbackRoutes(app: HttpApp, { connectors, askAgain }: CallbackDeps): void {
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
        const connector = connectors.find(({ id }) => id === rail);
        const body = typeof request.body === 'string' ? request.body : '';
        const order = (await connector?.receive(token, body)) ?? null;
        if (connector === undefined || order === null)
          throw new PayError('resource_missing', 'No order has this address.');
        await askAgain(connector, order);
        // M-Pesa expects these fields. MTN reads only the HTTP status.
        return { ResultCode: 0, ResultDesc: 'Accepted' };
      },
    });
  });
}
