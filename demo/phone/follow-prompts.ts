import { PhoneError, type Prompt, phoneApi } from './phone-api.ts';

const pollMs = 1_500;

/** The reader of a phone's prompts. */
export interface PromptFollower {
  /** Reads the prompts of this number from now on. Null: those of the demo shop. */
  follow(number: string | null): void;
}

/** Reads prompts again and again while the page is visible. `onTrouble` gets null once the operator answers again. */
export function followPrompts(
  onPrompts: (prompts: readonly Prompt[]) => void,
  onTrouble: (message: string | null) => void,
): PromptFollower {
  let number: string | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function look(): Promise<void> {
    clearTimeout(timer);
    const asked = number;
    try {
      const prompts = await phoneApi.prompts(asked);
      if (asked === number) onPrompts(prompts);
      onTrouble(null);
    } catch (error) {
      if (!(error instanceof PhoneError)) throw error;
      onTrouble(error.message);
    }
    clearTimeout(timer);
    if (document.visibilityState === 'visible') timer = setTimeout(look, pollMs);
  }

  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && void look());
  return {
    follow(next) {
      number = next;
      void look();
    },
  };
}
