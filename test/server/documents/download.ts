import type { TestApp } from '../../support/app.ts';

/** Downloads the bytes at the path with the merchant's secret key. */
export async function downloadFrom(
  { app, merchant }: Pick<TestApp, 'app' | 'merchant'>,
  path: string,
): Promise<Buffer> {
  const headers = { authorization: `Bearer ${merchant.secretKey}` };
  const { statusCode, rawPayload } = await app.http.inject({ method: 'GET', url: path, headers });
  if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}`);
  return rawPayload;
}
