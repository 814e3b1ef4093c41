/** Builds the files for browsers, the server and the documentation, when their sources have changed. */
import { buildBrowser } from './build-browser.ts';
import { buildServer } from './build-server.ts';
import { buildDocs } from './docs/build-docs.ts';

for (const [name, build] of Object.entries({
  'browser files': buildBrowser,
  server: buildServer,
  documentation: buildDocs,
})) {
  const start = performance.now();
  const built = await build();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(built ? `${name}: built in ${seconds} s` : `${name}: up to date`);
}
