import { join } from 'node:path';
import staticFiles from '@fastify/static';
import { Type } from 'typebox';
import type { HttpApp } from '../http/http-app.ts';

/** Names that carry a version or a hash of their content: what is once under them never changes. */
const unchanging =
  /^\/(pay-checkout-[^/]+\.js|pay-checkout\/.+|(card-frame|checkout|return|refund|invoice|link|demo\/files)\/.+)$/;

/** Files that pages of other sites load: with SRI, from modules, or under a cross-origin embedder policy. */
const forOtherSites = /^\/(pay-checkout[^/]*\.js|pay-checkout\/.+|integrity\.json)$/;

const year = 'public, max-age=31536000, immutable';
const fiveMinutes = 'public, max-age=300';

/** A chunk of the script tag by its name, which is all that can be asked for below its folder. */
const chunkRoute = '/pay-checkout/:chunk(^[\\w-]+\\.js$)';

/**
 * Serves the files of the browser build: each under its own route, so that nothing else in the folder or above it can
 * be asked for; as the compressed twin that the browser takes; with 304 for what it has already. Leaves out what
 * matches the patterns `leftOut`. Chunks alone are looked for when they are asked for: a build that is made while the
 * server runs replaces the script, and with it the chunks' names.
 */
export async function serveBrowserFiles(app: HttpApp, browserDir: string, leftOut: readonly string[]): Promise<void> {
  await app.register(staticFiles, {
    root: browserDir,
    wildcard: false,
    globIgnore: ['**/*.br', '**/*.gz', 'pay-checkout/**', ...leftOut],
    serveDotFiles: false,
    index: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, file) => {
      const path = file.slice(join(browserDir, '/').length - 1).replace(/\.(br|gz)$/, '');
      for (const [name, value] of Object.entries(headersOf(path))) reply.header(name, value);
    },
  });
  const chunk = { schema: { params: Type.Object({ chunk: Type.String() }) } };
  app.get(chunkRoute, chunk, ({ params }, reply) => reply.sendFile(`pay-checkout/${params.chunk}`));
}

/** Headers of the file at the path, beside those that every answer has. */
function headersOf(path: string): Record<string, string> {
  return {
    'cache-control': unchanging.test(path) ? year : fiveMinutes,
    ...(forOtherSites.test(path) && {
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'timing-allow-origin': '*',
    }),
  };
}
