import type { ApiDocument } from '../../../api/openapi/document.ts';
import { systemClock } from '../../../core/clock.ts';

/** The service's URL in samples. The page replaces it with the URL of its own server. */
export const sampleUrl = 'https://pay.example.com';

/** Reads the server's own `/openapi.json`, including test helpers. The server is created, but never started. */
export async function readApiDocument(): Promise<ApiDocument> {
  const [{ createApp }, { createDatabase }, { readConfig }] = await Promise.all([
    import('../../../server/app.ts'),
    import('../../../server/platform/db/database.ts'),
    import('../../../server/settings/config.ts'),
  ]);
  const { createLog } = await import('../../../server/platform/logging.ts');
  const config = readConfig({ PAY_LOG_LEVEL: 'silent' });
  // No database listens at this path: the document needs no database.
  const connection = { host: '/nonexistent' };
  const database = createDatabase({ connection });
  const app = await createApp({
    config,
    connection,
    database,
    clock: systemClock,
    rootSecret: Buffer.alloc(32),
    log: createLog(config, () => undefined),
    publicUrl: () => sampleUrl,
    browserDir: null,
    testKeys: async () => ({ merchantId: '', secretKey: null, publishableKey: null, given: [] }),
  });
  const { body } = await app.http.inject('/openapi.json');
  await app.http.close();
  await database.close();
  return JSON.parse(body) as ApiDocument;
}
