import type { DashboardContext } from '../app/dashboard-context.ts';
import { allowed } from '../app/loaded.ts';
import { shortenedWords } from '../controls/values.ts';

/** The names of people and API keys, by id. */
export type Askers = ReadonlyMap<string, string>;

/** Reads the names of the team and, where the role may read them, of the API keys. */
export async function readAskers(
  { client, session, may }: Pick<DashboardContext, 'client' | 'session' | 'may'>,
  signal: AbortSignal,
): Promise<Askers> {
  const [team, keys] = await Promise.all([
    allowed(client.team.list({ signal })),
    may('develop') ? allowed(client.apiKeys.list({ limit: 100 }, { signal })) : [],
  ]);
  const names = new Map(team.map(({ id, name, email }) => [id, name ?? email ?? 'Owner']));
  for (const { id, name } of keys) names.set(id, name ? `Key “${name}”` : keyWords(id));
  if (session !== null) names.set(session.person.id, 'You');
  return names;
}

const keyWords = (id: string): string => `Key ${shortenedWords(id, 8, 4)}`;

/**
 * The name of the person or key with the id. A key has no name here if it was revoked or the role may not list keys. A
 * person has none after leaving the team. Null: the names are not read yet.
 */
export function askerWords(askers: Askers | null, id: string | null): string {
  if (id === null) return 'The service';
  if (askers === null) return '…';
  return askers.get(id) ?? (id.startsWith('key_') ? keyWords(id) : 'A former member');
}
