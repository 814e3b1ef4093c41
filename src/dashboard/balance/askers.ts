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
  for (const { id, name } of keys) names.set(id, name ? `Key “${name}”` : `Key ${shortenedWords(id, 8, 4)}`);
  if (session !== null) names.set(session.person.id, 'You');
  return names;
}

/** The name of the person or key with the id. Unknown ids are shown as they are. */
export function askerWords(askers: Askers | null, id: string | null): string {
  return id === null ? 'The service' : (askers?.get(id) ?? shortenedWords(id, 10, 4));
}
