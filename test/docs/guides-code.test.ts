import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const guides = readdirSync(join(root, 'docs/guides')).filter(file => file.endsWith('.md'));

/** What a program imports in the repository, and what it imports in a project of its own. */
const imports = {
  '../../src/api/client.ts': 'pay-checkout/client',
  '../../src/proxy/index.ts': 'pay-checkout/proxy',
  '../../src/webhooks/index.ts': 'pay-checkout/webhooks',
  '../../src/element/define.ts': 'pay-checkout/define',
};

function programIn(file: string): string {
  const text = readFileSync(join(root, file), 'utf8');
  return Object.entries(imports).reduce((code, [own, published]) => code.replaceAll(own, published), text);
}

const blocks = guides.flatMap(guide =>
  [...readFileSync(join(root, 'docs/guides', guide), 'utf8').matchAll(/^```(\w+) (demo\/\S+)\n([\s\S]*?)\n```$/gm)].map(
    ([, , file = '', code = '']) => ({ guide, file, code }),
  ),
);

it.each(blocks)('$guide shows $file as it is', ({ file, code }) => {
  expect(programIn(file)).toContain(code);
});

it('shows every program of demo/guides in a guide', () => {
  const shown = new Set(blocks.map(({ file }) => file));
  const programs = readdirSync(join(root, 'demo/guides')).map(file => `demo/guides/${file}`);
  expect(programs.filter(file => !shown.has(file))).toEqual([]);
});

it('has no TypeScript block that is not a program', () => {
  const loose = guides.filter(guide =>
    /^```(ts|tsx|vue|svelte)$/m.test(readFileSync(join(root, 'docs/guides', guide), 'utf8')),
  );
  expect(loose).toEqual([]);
});
