import { Type } from 'typebox';
import type { HttpApp } from '../../platform/http/http-app.ts';
import type { KycDeps } from '../kyc-deps.ts';
import { receiveCallback } from './callback.service.ts';

/** Longest body of a callback, in bytes. */
const longestBody = 65_536;

const params = Type.Object({ provider: Type.String({ maxLength: 40 }) });

/**
 * `POST /v1/kyc/callbacks/:provider`, where identity providers report news. The signature covers the unchanged bytes of
 * the body, so the route parses nothing.
 */
export function registerKycCallback(app: HttpApp, deps: KycDeps): void {
  app.register(async (scope: HttpApp) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: longestBody }, (_, body, done) => done(null, body));
    const options = { schema: { params, hide: true }, config: { access: 'public' } } as const;
    scope.post('/v1/kyc/callbacks/:provider', options, async request => {
      const { provider } = request.params as { provider: string };
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      await receiveCallback(deps, provider, request.headers, body);
      return { received: true };
    });
  });
}
