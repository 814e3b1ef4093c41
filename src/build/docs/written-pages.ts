import { readFile } from 'node:fs/promises';
import { basename, join, posix } from 'node:path';
import { slugOf } from '../../api/openapi/slug.ts';
import { repositoryManifest, root } from '../package-manifest.ts';
import { type DocPage, pageFrom, pathOf } from './page.ts';

/**
 * The files of `docs/` in the order of the contents. A file's path without `.md` is the page's path. `README` is the
 * start page.
 */
const written: Readonly<Record<string, readonly string[]>> = {
  Start: ['README', 'guides/shop-in-ten-minutes', 'features'],
  Guides: [
    ...['guides/proxy', 'guides/frameworks', 'guides/webhooks', 'guides/links', 'guides/invoices'],
    ...[
      'guides/mobile-money',
      'guides/stellar-settlement',
      'guides/paying-out',
      'guides/test-cards-and-clock',
      'guides/going-live',
    ],
  ],
  'Payouts and rails': [
    ...['payouts', 'bank-files', 'mobile-money', 'ramps', 'kyc', 'rails'],
    ...['rails/cards', 'rails/bank-transfers', 'rails/stellar', 'rails/bank-payouts', 'rails/mobile-money'],
  ],
  Operate: ['dashboard', 'operating', 'settings', 'networks', 'scaling', 'cli'],
  'Security and versions': ['security', 'threat-model', 'pci', 'versions'],
};

/** Files for deployment. One page shows all of them. */
const deployed = [
  ['Dockerfile', 'docker'],
  ['compose.yaml', 'yaml'],
  ['pay-checkout.env.example', 'sh'],
  ['postgres.env.example', 'sh'],
  ['pay-checkout.service', 'ini'],
  ['Caddyfile', 'txt'],
] as const;

/** Reads the pages that are written by hand, in the order of the contents. */
export async function writtenPages(): Promise<DocPage[]> {
  const { repository } = await repositoryManifest();
  const { url } = repository as { readonly url: string };
  const files = Object.entries(written).flatMap(([section, names]) => names.map(name => ({ section, name })));
  const pages = await Promise.all(
    files.map(async ({ section, name }) => {
      const text = await readFile(join(root, `docs/${name}.md`), 'utf8');
      const page = pageFrom(slugOfFile(name), section, withServedLinks(text, `docs/${name}.md`, sourceUrl(url)));
      return name.startsWith('rails/') ? { ...page, parent: 'rails' } : page;
    }),
  );
  return [...pages, await deployPage()];
}

const slugOfFile = (name: string): string => (name === 'README' ? '' : name);

const sourceUrl = (url: string): string => url.replace(/^git\+|\.git$/g, '');

/** Replaces links between files with links between pages. A link to a file that is no page leads to the repository. */
function withServedLinks(markdown: string, file: string, repository: string): string {
  return markdown.replace(/\]\((?!https?:|#|\/)([^)#\s]+)(#[^)]*)?\)/g, (_, target: string, anchor = '') => {
    const path = posix.join(posix.dirname(file), target);
    if (path.startsWith('docs/deploy/')) return `](${pathOf('deploy')}#${slugOf(basename(path))})`;
    const [, name] = /^docs\/(.+)\.md$/.exec(path) ?? [];
    if (name !== undefined && Object.values(written).flat().includes(name))
      return `](${pathOf(slugOfFile(name))}${anchor})`;
    return `](${repository}/blob/main/${path}${anchor})`;
  });
}

async function deployPage(): Promise<DocPage> {
  const files = deployed.map(async ([name, language]) => {
    const text = await readFile(join(root, `docs/deploy/${name}`), 'utf8');
    return `## ${name}\n\n\`\`\`${language} docs/deploy/${name}\n${text.trimEnd()}\n\`\`\`\n`;
  });
  const text = `# Deployment files\n\nThe files for Docker, systemd and the proxy in front. [Operating](${pathOf('operating')}) describes their use.\n`;
  return pageFrom('deploy', 'Operate', [text, ...(await Promise.all(files))].join('\n'));
}
