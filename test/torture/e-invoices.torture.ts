import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { InvoiceDocument } from '../../src/core/invoice/invoice-document.ts';
import { missingForEInvoice, type XmlFormat } from '../../src/server/documents/e-invoice/e-invoice-data.ts';
import { eInvoiceXml } from '../../src/server/documents/e-invoice/factur-x.ts';
import { randomInvoice, randomXRechnung } from '../server/documents/random-invoices.ts';
import { type FatalRules, noRules, officialRules, type RuleSet } from './official-rules.ts';
import { beginPart, report, roundSeconds, seed } from './round.ts';

interface Check {
  readonly rules: RuleSet;
  readonly format: XmlFormat;
  readonly invoices: fc.Arbitrary<InvoiceDocument>;
  /** E-invoices to check without a time limit. */
  readonly wanted: number;
}

/** An XRechnung is an e-invoice of EN 16931, so it follows the rules of both. */
const checks: readonly Check[] = [
  { rules: 'EN16931', format: 'en16931', invoices: randomInvoice, wanted: 1_000 },
  { rules: 'EN16931', format: 'xrechnung', invoices: randomXRechnung, wanted: 300 },
  { rules: 'XRechnung', format: 'xrechnung', invoices: randomXRechnung, wanted: 300 },
];

for (const { rules, format, invoices, wanted } of checks) {
  const reason = noRules(rules);
  describe.skipIf(reason !== null)(
    `e-invoices and the official rules of ${rules}${reason ? `: ${reason}` : ''}`,
    () => {
      let brokenRules: FatalRules;
      beforeAll(() => {
        brokenRules = officialRules(rules);
      }, 600_000);

      it(`break no fatal rule as ${format}, whatever an invoice says`, { timeout: 3_600_000 }, () => {
        const part = beginPart(0.05);
        const broken = new Map<string, string>();
        let [checked, without] = [0, 0];
        for (let round = 0; checked < wanted && (checked === 0 || !part.isOver()); round++) {
          for (const invoice of fc.sample(invoices, { numRuns: 5, seed: seed + round })) {
            if (missingForEInvoice(invoice, format).length > 0) {
              without++;
              continue;
            }
            const xml = eInvoiceXml(invoice, format);
            for (const rule of brokenRules(xml)) broken.set(rule, xml);
            checked++;
            if (checked >= wanted) break;
          }
        }
        report(
          `${checked} random ${format} checked by the rules of ${rules}; ${without} invoices lack the data for one`,
        );
        expect(Object.fromEntries(broken)).toEqual({});
        if (roundSeconds === null) expect(checked).toBe(wanted);
      });
    },
  );
}
