import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** The repository's package.json. */
export interface RepositoryManifest {
  readonly version: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** The repository's folder. */
export const root = resolve(import.meta.dirname, '../..');

export async function repositoryManifest(): Promise<RepositoryManifest> {
  return JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as RepositoryManifest;
}

/** The fields that all published packages share. */
export function sharedFields({ version, keywords, license, repository, type }: RepositoryManifest): object {
  return { version, keywords, license, repository, type };
}

export async function writeJson(file: string, content: object): Promise<void> {
  await writeFile(file, `${JSON.stringify(content, null, 2)}\n`);
}
