import type { PasskeyOptions } from '../../api/people/factor.ts';
import type { Calls } from './service-client.ts';

/** Lets the browser ask for a passkey of this server. Returns its answer, or null when the person closes the dialog. */
export async function askPasskey(calls: Calls): Promise<object | null> {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  const { options } = await calls.post<PasskeyOptions>('/v1/session/passkey-options');
  const optionsJSON = options as unknown as Parameters<typeof startAuthentication>[0]['optionsJSON'];
  return await startAuthentication({ optionsJSON }).catch(() => null);
}
