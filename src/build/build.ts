/** Builds the files for browsers and the server, when their sources have changed. */
import { buildBrowser } from './build-browser.ts';
import { buildServer } from './build-server.ts';

for (const [name, build] of Object.entries({ 'browser files': buildBrowser, server: buildServer })) {
  const start = performance.now();
  const built = await build();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(built ? `${name}: built in ${seconds} s` : `${name}: up to date`);
}
