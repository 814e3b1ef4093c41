/** Builds the files for browsers, the server and the documentation if their sources have changed. */
import { buildBrowser } from './build-browser.ts';
import { buildServer } from './build-server.ts';
import { buildDocs } from './docs/build-docs.ts';

async function run(name: string, build: () => Promise<boolean>): Promise<void> {
  const start = performance.now();
  const built = await build();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(built ? `${name}: built in ${seconds} s` : `${name}: up to date`);
}

/** Builds the documentation after the browser build, because it shows the element's manifest from that build. */
async function buildPages(): Promise<void> {
  await run('browser files', buildBrowser);
  await run('documentation', buildDocs);
}

await Promise.all([buildPages(), run('server', buildServer)]);
