import { Type } from 'typebox';

/** The query parameter of a metadata key: `metadata[order]`. */
const parameter = /^metadata\[([^[\]]{1,40})\]$/;

/** The schema of the filters by metadata, for the options of a list's query. */
export const metadataFilters = {
  patternProperties: {
    [parameter.source]: Type.String({
      maxLength: 500,
      description: 'The value of a metadata key, as text: `metadata[order]=A-1`. Several keys must all match.',
    }),
  },
};

/** The filter by metadata: `metadata[order]=A-1` becomes `{ order: 'A-1' }`. */
export function metadataIn(query: object): Readonly<Record<string, string>> {
  const entries = Object.entries(query).flatMap(([name, value]) => {
    const key = parameter.exec(name)?.[1];
    return key === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(entries);
}
