/**
 * Meanings of fields whose schemas have no description: a sentence, or a sentence and examples. The document shows the
 * first example that the schema accepts. The key is the field's name, or `Schema.field` for another meaning in that
 * schema.
 */
export type FieldNotes = Readonly<Record<string, string | readonly [meaning: string, ...examples: unknown[]]>>;

/** Whole examples of requests, by the name of their schema. */
export type RequestExamples = Readonly<Record<string, unknown>>;

/** An account in examples. It exists on no network. */
export const exampleAccount = 'GBYK4I37MZKLL4A2QS7VJCTDIIJK7UXWQWKXKTQ5WZGT2FPCGIVIQCY5';
export const exampleHash = '3389e9f0f1a65f19736cacf544c2e825313e8447f569233bb8db39aa607c8889';

/** Ids in examples, by prefix. */
export const exampleId = (prefix: string): string => `${prefix}_8GKYqrTwjUPD8ILPZIo2La`;
