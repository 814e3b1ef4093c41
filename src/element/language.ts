import { languageChunks } from './chunks.ts';
import { type Desk, localeOf } from './desk.ts';
import { en } from './strings/en.ts';

/**
 * Takes up the language of the element's locale; resolves when it is there. English is spoken where there is no other,
 * until another has come, and where it cannot be had. Asked anew at every drawing, so that the last wish is the one
 * that stays.
 */
export async function speak(desk: Desk): Promise<void> {
  const chunk = languageChunks[localeOf(desk).split('-')[0] as string];
  const { strings } = (await chunk?.().catch(() => null)) ?? { strings: en };
  if (strings === desk.strings) return;
  desk.strings = strings;
  desk.element.requestUpdate();
}
