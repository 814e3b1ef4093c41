/**
 * What a field means, where its schema does not say so: a sentence, or a sentence and examples, of which the first that fits counts. The key is the name
 * of the field, or `Schema.field` where the field means something else in that schema.
 */
export type FieldNotes = Readonly<Record<string, string | readonly [meaning: string, ...examples: unknown[]]>>;

/** Accounts that appear in examples. They exist on no network. */
export const exampleAccount = 'GBYK4I37MZKLL4A2QS7VJCTDIIJK7UXWQWKXKTQ5WZGT2FPCGIVIQCY5';
export const exampleHash = '3389e9f0f1a65f19736cacf544c2e825313e8447f569233bb8db39aa607c8889';

/** Ids in examples, by prefix. */
export const exampleId = (prefix: string): string => `${prefix}_8GKYqrTwjUPD8ILPZIo2La`;
