// The order of the set-up and what is remembered of it over a reload. Never a key or a token.
import { fieldsOf, stringOf } from '../read';

export const STEPS = ['provider', 'key', 'model', 'channel', 'pair', 'done'] as const;
export type Step = (typeof STEPS)[number];

export interface Progress {
  step: Step;
  /** Whose model; `custom` before a custom one has a name. */
  provider: string | undefined;
  model: string | undefined;
  /** A platform that was connected. */
  channel: string | undefined;
  /** Steps the person went past without doing them. */
  skipped: Step[];
}

const KEY = 'homard.setup';
export const FRESH: Progress = { step: 'provider', provider: undefined, model: undefined, channel: undefined, skipped: [] };
/** In place of a provider's id while the person describes their own. */
export const CUSTOM = 'custom';

export function isStep(text: unknown): text is Step {
  return STEPS.some((step) => step === text);
}

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

export function readProgress(store: Store): Progress {
  try {
    const found = fieldsOf(JSON.parse(store.getItem(KEY) ?? '{}'));
    return {
      step: isStep(found.step) ? found.step : 'provider',
      provider: stringOf(found.provider),
      model: stringOf(found.model),
      channel: stringOf(found.channel),
      skipped: Array.isArray(found.skipped) ? found.skipped.filter(isStep) : [],
    };
  } catch {
    return { ...FRESH };
  }
}

export function writeProgress(store: Store, progress: Progress): void {
  try {
    store.setItem(KEY, JSON.stringify(progress));
  } catch {
    // Without a place to remember it, a reload begins anew.
  }
}

/** The step after this one: without a platform there is nobody to be paired with. */
export function nextStep(progress: Progress): Step {
  const after = STEPS[STEPS.indexOf(progress.step) + 1] ?? 'done';
  if (after === 'key' && progress.provider === undefined) return 'channel';
  if (after === 'model' && progress.provider === undefined) return 'channel';
  return after === 'pair' && progress.channel === undefined ? 'done' : after;
}

/** One step further; what is passed over on the way counts as skipped. */
export function after(progress: Progress, skips: boolean): Progress {
  const step = nextStep(progress);
  const passed = STEPS.slice(STEPS.indexOf(progress.step) + 1, STEPS.indexOf(step));
  const skipped = new Set<Step>([...progress.skipped, ...passed, ...(skips ? [progress.step] : [])]);
  if (!skips) skipped.delete(progress.step);
  return { ...progress, step, skipped: STEPS.filter((one) => skipped.has(one)) };
}

export function previousStep(progress: Progress): Step {
  const before = STEPS[STEPS.indexOf(progress.step) - 1] ?? 'provider';
  if (before === 'pair' && progress.channel === undefined) return 'channel';
  return (before === 'model' || before === 'key') && progress.provider === undefined ? 'provider' : before;
}

/** Shown as cards; the others stand in a list beneath. */
export const FEATURED = ['anthropic', 'openai', 'google', 'openrouter', 'mistral', 'groq', 'xai', 'deepseek', 'ollama'];
