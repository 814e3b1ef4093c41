import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiDocument, callsOf, type Schema } from '../../src/api/openapi/document.ts';
import { apiReference } from '../../src/build/docs/all-pages.ts';
import type { Reference } from '../../src/build/docs/api/api-pages.ts';
import { readApiDocument } from '../../src/build/docs/api/document.ts';

const root = join(import.meta.dirname, '../..');
let document: ApiDocument;
let reference: Reference;
beforeAll(async () => {
  [document, reference] = await Promise.all([readApiDocument(), apiReference()]);
}, 90_000);

/** The fields below a schema that have no description: `Payment.settlement.ledger`. */
function undescribed(schema: Schema | undefined, path: string): string[] {
  if (schema === undefined) return [];
  const parts = [...(schema.anyOf ?? []), ...(schema.allOf ?? []), ...(schema.items ? [schema.items] : [])];
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    ...(field.description ? [] : [`${path}.${name}`]),
    ...undescribed(field, `${path}.${name}`),
  ]);
  return [...fields, ...parts.flatMap(part => undescribed(part, path))];
}

const bodyOf = (content: Readonly<Record<string, { schema: Schema }>> | undefined) =>
  content?.['application/json']?.schema;

describe('the API reference', () => {
  // A field gets its description in its schema (src/api) or in the field notes of its module.
  it('describes every field and parameter', () => {
    const named = Object.entries(document.components.schemas).flatMap(([name, schema]) => undescribed(schema, name));
    const inCalls = callsOf(document).flatMap(({ operationId, parameters, requestBody, responses }) => [
      ...parameters
        .filter(({ $ref, description }) => !$ref && !description)
        .map(({ name }) => `${operationId} ${name}`),
      ...undescribed(bodyOf(requestBody?.content), operationId),
      ...Object.values(responses).flatMap(({ content }) => undescribed(bodyOf(content), operationId)),
    ]);
    expect([...named, ...inCalls]).toEqual([]);
  });

  it('has an example for every field of every call and object', () => {
    expect(reference.gaps).toEqual([]);
    expect(reference.pages.length).toBeGreaterThan(callsOf(document).length);
  });

  it('gives every call an own page and a summary', () => {
    const slugs = reference.pages.map(({ slug }) => slug);
    expect(slugs.filter((slug, index) => slugs.indexOf(slug) !== index)).toEqual([]);
    expect(callsOf(document).filter(({ summary, method, path }) => summary === `${method} ${path}`)).toEqual([]);
  });

  it('has examples that their schemas accept', () => {
    const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } });
    ajv.addSchema(document, 'api');
    const refused = Object.entries(document.components.schemas).flatMap(([name, { examples = [] }]) => {
      const validate = ajv.getSchema(`api#/components/schemas/${name}`);
      return examples.filter(example => !validate?.(example)).map(() => `${name}: ${ajv.errorsText(validate?.errors)}`);
    });
    expect(refused).toEqual([]);
  });

  it('has TypeScript samples that compile under strict settings', () => {
    const folder = join(root, 'dist/docs-samples');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const samples = reference.pages.flatMap(({ markdown }) => [
      ...markdown.matchAll(/```ts tab=TypeScript\n([\s\S]*?)\n```/g),
    ]);
    for (const [index, [, code]] of samples.entries())
      writeFileSync(join(folder, `sample-${index}.ts`), `${code}\nexport {};\n`);
    const paths = { 'pay-checkout/client': ['../../src/api/client.ts'] };
    const config = { extends: '../../tsconfig.json', compilerOptions: { paths }, include: ['.'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const compile = () => execFileSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
    let faults = '';
    try {
      compile();
    } catch (error) {
      const lines = (error as { stdout: string }).stdout.split('\n').filter(line => line.includes('error'));
      faults = lines
        .map(line => line.replace(/^.*?(sample-\d+\.ts)/, (_, file) => `${readFileSync(join(folder, file), 'utf8')}\n`))
        .join('\n');
    }
    expect(faults).toBe('');
    expect(readdirSync(folder).length).toBeGreaterThan(callsOf(document).length);
    rmSync(folder, { recursive: true });
  });
});
