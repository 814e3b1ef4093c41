import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { HttpApp } from '../http/http-app.ts';
import { sendPage } from './page-document.ts';
import { protectPage } from './page-policy.ts';

export interface DocsDeps {
  /** Folder of the built documentation. It is read at each visit, so that the server starts fast. */
  readonly docsDir: string;
  readonly publicUrl: () => string;
}

const options = { config: { access: 'public' }, schema: { hide: true } } as const;
const fiveMinutes = 'public, max-age=300';
/** Caching for files whose names contain a hash of their content. */
const year = 'public, max-age=31536000, immutable';

/** Allows scripts, styles and calls of this server only. Forbids inline code and HTML that scripts make. */
const policy = {
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'img-src': ["'self'"],
  'connect-src': ["'self'"],
  'frame-ancestors': ["'none'"],
  'require-trusted-types-for': ["'script'"],
  'trusted-types': ["'none'"],
};

/** The documentation: `/docs`, each page as HTML and with `.md` as Markdown, its files, and `/llms.txt`. */
export function registerDocsRoutes(app: HttpApp, { docsDir, publicUrl }: DocsDeps): void {
  const read = (file: string) => readFile(join(docsDir, file), 'utf8');
  const isPage = async (slug: string) => (JSON.parse(await read('pages.json')) as string[]).includes(slug);
  const send = async (reply: FastifyReply, path: string) => {
    const slug = path.replace(/\.md$|\/$/, '');
    if (!(await isPage(slug === 'index' ? '' : slug))) return reply.callNotFound();
    const file = slug === '' ? 'index' : slug;
    if (path.endsWith('.md')) {
      reply.header('cache-control', fiveMinutes).type('text/markdown; charset=utf-8');
      return await reply.send(await read(`pages/${file}.md`));
    }
    protectPage(reply, policy).header('cache-control', fiveMinutes).removeHeader('x-robots-tag');
    return sendPage(reply, { markup: await read(`pages/${file}.html`) });
  };
  app.get('/docs', options, (_request, reply) => send(reply, ''));
  app.get(
    '/docs/*',
    { ...options, schema: { hide: true, params: Type.Object({ '*': Type.String() }) } },
    (request, reply) => send(reply, request.params['*']),
  );
  const asset = { ...options, schema: { hide: true, params: Type.Object({ file: Type.String() }) } };
  app.get('/docs/assets/:file(^[\\w.-]+$)', asset, ({ params }, reply) =>
    reply.header('cache-control', year).sendFile(`assets/${params.file}`, docsDir),
  );
  app.get('/llms.txt', options, async (_request, reply) => {
    const text = (await read('llms.txt')).replaceAll('](/', `](${publicUrl()}/`);
    return await reply.header('cache-control', fiveMinutes).type('text/plain; charset=utf-8').send(text);
  });
}
