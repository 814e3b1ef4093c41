import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { missingForEInvoice } from '../../src/server/documents/e-invoice/e-invoice-data.ts';
import { eInvoiceXml } from '../../src/server/documents/e-invoice/factur-x.ts';
import { randomInvoice } from '../server/documents/random-invoices.ts';
import { type FatalRules, noRules, officialRules } from './official-rules.ts';
import { beginPart, report, roundSeconds, seed } from './round.ts';

/** E-invoices to check without a time limit. */
const wanted = 1_000;

describe.skipIf(noRules !== null)(
  `e-invoices and the official rules of EN 16931${noRules ? `: ${noRules}` : ''}`,
  () => {
    let brokenRules: FatalRules;
    beforeAll(() => {
      brokenRules = officialRules();
    }, 600_000);

    it('break no fatal rule, whatever an invoice says', { timeout: 3_600_000 }, () => {
      const part = beginPart(0.1);
      const broken = new Map<string, string>();
      let [checked, without] = [0, 0];
      for (let round = 0; checked < wanted && (checked === 0 || !part.isOver()); round++) {
        for (const invoice of fc.sample(randomInvoice, { numRuns: 5, seed: seed + round })) {
          if (missingForEInvoice(invoice).length > 0) {
            without++;
            continue;
          }
          const xml = eInvoiceXml(invoice);
          for (const rule of brokenRules(xml)) broken.set(rule, xml);
          checked++;
          if (checked >= wanted) break;
        }
      }
      report(`${checked} random e-invoices checked by the official rules; ${without} invoices lack the data for one`);
      expect(Object.fromEntries(broken)).toEqual({});
      if (roundSeconds === null) expect(checked).toBe(wanted);
    });
  },
);
