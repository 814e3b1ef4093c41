import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorCatalogue } from '../../src/core/error.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { browserDir } from '../support/built.ts';

const pagesDir = join(browserDir, '../docs/pages');

/** Paths of all pages of the build. */
const paths = () =>
  readdirSync(pagesDir, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.html'))
    .map(file => (file === 'index.html' ? '/docs' : `/docs/${file.replace(/\.html$/, '')}`));

let shop: TestApp;
beforeAll(async () => {
  shop = await startTestApp({ browserDir });
});
afterAll(() => shop?.close());

const visit = (path: string) => shop.request(`GET ${path}` as 'GET /', { key: null });

describe('the documentation', () => {
  it.each(['/docs', '/docs/operating', '/docs/element', '/docs/errors', '/docs/api/payments/create-a-payment'])(
    'serves %s under a policy without inline code, as HTML and as Markdown',
    async path => {
      const { status, headers, text } = await visit(path);
      expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(headers['content-security-policy']).toContain("default-src 'none'");
      expect(headers['content-security-policy']).toContain("trusted-types 'none'");
      expect(headers['content-security-policy']).not.toContain('unsafe');
      expect(text).not.toMatch(/<style|\sstyle=|\son[a-z]+=|<script(?! (type="module" )?src="\/docs\/assets\/)/i);
      const markdown = await visit(path === '/docs' ? '/docs/index.md' : `${path}.md`);
      expect([markdown.status, markdown.headers['content-type']]).toEqual([200, 'text/markdown; charset=utf-8']);
      expect(markdown.text).toMatch(/^# /m);
    },
  );

  it('has no link to a page, a heading or a file that does not exist', async () => {
    const texts = new Map<string, string>();
    for (const path of paths()) texts.set(path, (await visit(path)).text);
    const files = new Map<string, number>();
    const broken: string[] = [];
    for (const [path, text] of texts) {
      for (const [, link = ''] of text.matchAll(/(?:href|src)="([/#][^"]*)"/g)) {
        const [target = '', anchor] = link.split('#');
        const page = target === '' ? text : texts.get(target);
        if (page === undefined) {
          files.set(target, files.get(target) ?? (await visit(target)).status);
          if (files.get(target) !== 200) broken.push(`${path} -> ${link}`);
        } else if (anchor && !page.includes(`id="${anchor}"`)) broken.push(`${path} -> ${link}`);
      }
    }
    expect(broken).toEqual([]);
    expect(texts.size).toBeGreaterThan(250);
  });

  it.each(['/docs/nothing', '/docs/../package.json', '/docs/pages.json', '/docs/assets/..%2fpages.json'])(
    'answers 404 to %s',
    async path => {
      expect((await visit(path)).status).toBe(404);
    },
  );

  it('has a page for every Markdown file of docs/', () => {
    const files = readdirSync(join(pagesDir, '../../../docs'), { recursive: true, encoding: 'utf8' });
    // The packages' READMEs stand in npm.
    const written = files.filter(file => file.endsWith('.md') && !file.startsWith('packages/'));
    const served = new Set(paths());
    expect(written.filter(file => file !== 'README.md' && !served.has(`/docs/${file.replace(/\.md$/, '')}`))).toEqual(
      [],
    );
  });

  it('serves its scripts for a year', async () => {
    const [, script = ''] = /src="(\/docs\/assets\/docs-[^"]+)"/.exec((await visit('/docs')).text) ?? [];
    const { status, headers } = await visit(script);
    expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
  });

  it('explains every error code on the page that the error names', async () => {
    for (const [code, { status }] of Object.entries(errorCatalogue)) {
      const { text } = await visit(`/docs/errors/${code}.md`);
      expect(text, code).toMatch(
        new RegExp(
          `^# ${code}\\n\\nHTTP status ${status}[\\s\\S]*^## Cause\\n\\n\\S[\\s\\S]*^## What to do\\n\\n\\S`,
          'm',
        ),
      );
    }
    const { body } = await shop.request('GET /v1/account', { key: null });
    expect(body.error.doc_url).toBe('http://localhost:4242/docs/errors/invalid_api_key');
  });

  it('shows every entry of the element’s manifest', async () => {
    const { text } = await visit('/docs/element.md');
    const { body: manifest, headers } = await visit('/custom-elements.json');
    expect(headers['access-control-allow-origin']).toBe('*');
    const { attributes, members, events, slots, cssParts, cssProperties } = manifest.modules[0].declarations[0];
    const names = [attributes, members, events, slots, cssParts, cssProperties].flat().map(({ name }) => name);
    const byAttribute = attributes.map(({ fieldName }: { fieldName: string }) => fieldName);
    const isShown = (name: string) => text.includes(`**\`${name}\`**`) || text.includes(`**\`${name}()\`**`);
    expect(names.filter(name => !byAttribute.includes(name) && !isShown(name))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(['api-key', 'pay-success', 'confirm', 'card', 'qr', '--pay-accent']));
  });

  it('is listed for assistants, each page as Markdown', async () => {
    const { text, headers } = await visit('/llms.txt');
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    const links = [...text.matchAll(/\]\(http:\/\/localhost:4242(\/docs\/[^)]+\.md)\)/g)].map(match => match[1] ?? '');
    expect(links).toHaveLength(paths().length);
    expect(text).toContain('[Create a payment]');
  });
});
