import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { browserDir } from '../support/built.ts';
import { startPages } from './site.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startPages();
});
afterAll(() => app?.close());

const visit = (path: string, headers = {}) => app.request(`GET ${path}` as 'GET /', { key: null, headers });

describe('the dashboard', () => {
  it.each(['/dashboard/', '/dashboard/payments', '/dashboard/payments/pay_1?from=2026-11-01'])(
    'is one document at %s, protected by a strict policy',
    async path => {
      const { status, text, headers } = await visit(path);
      expect(status).toBe(200);
      expect(text).toContain('<pay-dashboard></pay-dashboard>');
      expect(text).not.toMatch(/<script(?![^>]* src=)|<style|style=| on\w+=/);
      const policy = String(headers['content-security-policy']);
      for (const directive of [
        ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"],
        ...["frame-ancestors 'none'", "require-trusted-types-for 'script'", 'trusted-types lit-html'],
      ]) {
        expect(policy.split('; ')).toContain(directive);
      }
      expect(policy).not.toContain('unsafe');
      expect(headers['cache-control']).toBe('no-store');
    },
  );

  it('is at /dashboard/, with the slash', async () => {
    const { status, headers } = await visit('/dashboard');
    expect([status, headers['location']]).toEqual([302, '/dashboard/']);
  });

  it('serves its files for a year, and no page in place of a missing file', async () => {
    const { text } = await visit('/dashboard/');
    const [, script = ''] = /src="([^"]+)"/.exec(text) ?? [];
    const { status, headers } = await visit(script, { 'accept-encoding': 'br' });
    expect([status, headers['content-encoding']]).toEqual([200, 'br']);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect((await visit('/dashboard/files/gone-12345678.js')).status).toBe(404);
  });

  it('keeps script and style of the first view within 60 kB', () => {
    interface Chunk {
      readonly file: string;
      readonly css?: readonly string[];
      readonly imports?: readonly string[];
    }
    const chunks: Record<string, Chunk> = JSON.parse(readFileSync(join(browserDir, '.vite/dashboard.json'), 'utf8'));
    const files = (name: string): string[] => {
      const { file, css = [], imports = [] } = chunks[name] as Chunk;
      return [file, ...css, ...imports.flatMap(files)];
    };
    const first = new Set(['main', 'home/home-page'].flatMap(name => files(`src/dashboard/${name}.ts`)));
    // The smallest files are not compressed.
    const sent = (file: string) => [`${file}.br`, file].map(name => join(browserDir, name)).find(existsSync) ?? file;
    const bytes = [...first].reduce((sum, file) => sum + readFileSync(sent(file)).length, 0);
    expect(bytes).toBeLessThanOrEqual(60_000);
  });
});
