import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { validateXML } from 'xmllint-wasm';
import { readBankFile } from '../../src/sandbox/bank-payouts/received-file.ts';
import { referenceOf } from '../../src/server/rails/bank-files/bank-file.ts';

const schemaPath = join(import.meta.dirname, '../../../shared/vectors/iso20022/pain.001.001.09.xsd');
const schema = existsSync(schemaPath)
  ? { fileName: 'pain.001.001.09.xsd', contents: readFileSync(schemaPath, 'utf8') }
  : null;
const require = createRequire(import.meta.url);
const nacha = require('@midlandsbank/node-nacha') as { from(text: string): unknown };

/**
 * Complaints about bank files, by their names: of the official schema for pain.001 (none where it is missing), of an
 * independent parser for NACHA.
 */
export async function fileComplaints(files: ReadonlyMap<string, string>): Promise<string[]> {
  const all: string[] = [];
  // Each check of a schema starts a worker.
  for (const [name, contents] of files) {
    all.push(...(contents.startsWith('<') ? await schemaComplaints(name, contents) : parseComplaints(name, contents)));
  }
  return all;
}

async function schemaComplaints(name: string, contents: string): Promise<string[]> {
  if (schema === null) return [];
  const { valid, errors } = await validateXML({ xml: { fileName: 'file.xml', contents }, schema });
  return valid ? [] : errors.map(({ message }) => `${name}: ${message}`);
}

function parseComplaints(name: string, contents: string): string[] {
  try {
    nacha.from(contents);
    return [];
  } catch (error) {
    return [`${name}: ${error}`];
  }
}

/** A payment of a bank order: its rail, its id as outbound transfer, and its amount. */
export interface FiledOrder {
  readonly rail: 'sepa' | 'ach';
  readonly id: string;
  readonly amount: bigint;
}

/** The orders that are not in one file with their amount, and the references in files that belong to no order. */
export function misfiled(files: readonly string[], orders: readonly FiledOrder[]): unknown[] {
  const payments = files.flatMap(content => readBankFile(content).payments);
  const filed = Map.groupBy(payments, ({ reference }) => reference);
  const wrong = orders.filter(({ rail, id, amount }) => {
    const found = filed.get(referenceOf(rail, id)) ?? [];
    return found.length !== 1 || found[0]?.amount !== amount;
  });
  const known = new Set(orders.map(({ rail, id }) => referenceOf(rail, id)));
  return [...wrong, ...[...filed.keys()].filter(reference => !known.has(reference))];
}
