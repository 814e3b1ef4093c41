import type pg from 'pg';

/** Stands in a statement whose plan each connection keeps, since it is asked again and again and takes longer to plan than to run. */
export const keptPlan = '/* kept plan */';

/** A mistake in a program that makes up statements must not fill the database's memory. */
const mostPlans = 200;

/** "Cached plan must not change result type": a migration has changed a table since. */
const planIsOld = '0A000';

/**
 * Lets the connection prepare each marked statement once, by a name of its own. PostgreSQL plans it anew as long as that
 * pays, and when a table of it has changed. A plan whose result would be another by now is given up: the statement fails
 * once, and is prepared again when it comes again.
 */
export function keepPlans(client: pg.ClientBase): void {
  const names = new Map<string, string>();
  let prepared = 0;
  const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>;
  const named = async (text: string, values: unknown): Promise<unknown> => {
    const name = names.get(text) ?? `kept_${++prepared}`;
    names.set(text, name);
    try {
      return await query({ name, text, values });
    } catch (error) {
      if ((error as { code?: unknown }).code === planIsOld) names.delete(text);
      throw error;
    }
  };
  client.query = ((...given: unknown[]) => {
    const [text, values] = given;
    const isKept = typeof text === 'string' && text.includes(keptPlan) && (names.has(text) || prepared < mostPlans);
    return isKept ? named(text, values) : query(...given);
  }) as typeof client.query;
}
