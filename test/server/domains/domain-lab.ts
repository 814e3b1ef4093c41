import { randomUUID } from 'node:crypto';
import type { Domain } from '../../../src/api/dashboard/domain.ts';
import type { Dns } from '../../../src/server/domains/dns.ts';
import { startTestApp, type TestApp, type TestAppOptions, type TestMerchant } from '../../support/app.ts';

/** The records of a simulated DNS, by `TYPE name`. A record that is an Error makes the query fail. */
type Zone = Map<string, readonly string[] | Error>;

export interface DomainLab extends TestApp {
  readonly zone: Zone;
  add(name: string, merchant?: TestMerchant): Promise<Domain>;
  verify(domain: Domain, merchant?: TestMerchant): Promise<Domain>;
  read(domain: Domain, merchant?: TestMerchant): Promise<Domain>;
  /** Creates the records that the domain asks for. */
  publish(domain: Domain): void;
  /** An active domain. */
  activate(name: string, merchant?: TestMerchant): Promise<Domain>;
}

/** Starts the service at https://pay.example with a simulated DNS. */
export async function startDomainLab(options: TestAppOptions = {}): Promise<DomainLab> {
  const zone: Zone = new Map([['A pay.example', ['192.0.2.1', '2001:db8::1']]]);
  const query = (type: string) => async (name: string) => {
    const found = zone.get(`${type} ${name}`) ?? [];
    if (found instanceof Error) throw found;
    return found;
  };
  const dns: Dns = { cname: query('CNAME'), txt: query('TXT'), addresses: query('A') };
  const app = await startTestApp({ publicUrl: () => 'https://pay.example', dns, ...options });
  const call = async (path: `${string} /${string}`, merchant: TestMerchant = app.merchant, body?: object) => {
    const headers = path.startsWith('POST') ? { 'idempotency-key': randomUUID() } : {};
    const answer = await app.request(path, { key: merchant.secretKey, headers, ...(body && { body }) });
    if (answer.status >= 300) throw new Error(answer.text);
    return answer.body;
  };
  const lab = {
    add: (name: string, merchant?: TestMerchant): Promise<Domain> => {
      // Two domains never have the same age.
      app.clock.advance(1);
      return call('POST /v1/domains', merchant, { name });
    },
    verify: ({ id }: Domain, merchant?: TestMerchant): Promise<Domain> =>
      call(`POST /v1/domains/${id}/verify`, merchant),
    read: ({ id }: Domain, merchant?: TestMerchant): Promise<Domain> => call(`GET /v1/domains/${id}`, merchant),
    publish: ({ dns_records: records }: Domain) => {
      for (const { type, name, value } of records) zone.set(`${type} ${name}`, [value]);
    },
  };
  const activate = async (name: string, merchant?: TestMerchant) => {
    const domain = await lab.add(name, merchant);
    lab.publish(domain);
    return await lab.verify(domain, merchant);
  };
  return { ...app, ...lab, zone, activate };
}
