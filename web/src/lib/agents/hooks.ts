// What the page of hooks says about each: whether it runs, if not why, and what came of it last.
import type { Tone } from '../../kit/Badge.svelte';
import type { Asks } from '../channels/acts';
import { writeConfig } from '../channels/acts';
import { fieldsOf } from '../read';

export interface HookRun {
  event: string;
  atMs: number;
  durationMs: number;
  ok: boolean;
  output: string;
  error: string | undefined;
}

export interface Hook {
  name: string;
  description: string;
  source: string;
  baseDir: string;
  program: string | undefined;
  emoji: string | undefined;
  events: readonly string[];
  disabled: boolean;
  missing: readonly string[];
  problem: string | undefined;
  lastRun: HookRun | undefined;
}

export type HookState = 'ready' | 'off' | 'needs' | 'broken';

export const TONES: Readonly<Record<HookState, Tone>> = { ready: 'good', off: 'plain', needs: 'warn', broken: 'bad' };

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []);
const count = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** A row as the gateway tells it; what is not there is left out. */
export function readHook(row: unknown): Hook {
  const fields = fieldsOf(row);
  const last = fields['lastRun'] === undefined ? undefined : fieldsOf(fields['lastRun']);
  return {
    name: text(fields['name']) ?? '?',
    description: text(fields['description']) ?? '',
    source: text(fields['source']) ?? '',
    baseDir: text(fields['baseDir']) ?? '',
    program: text(fields['handlerPath']),
    emoji: text(fields['emoji']),
    events: texts(fields['events']),
    disabled: fields['disabled'] === true,
    missing: texts(fields['missing']),
    problem: text(fields['problem']),
    lastRun: last && {
      event: text(last['event']) ?? '',
      atMs: count(last['atMs']),
      durationMs: count(last['durationMs']),
      ok: last['ok'] === true,
      output: text(last['output']) ?? '',
      error: text(last['error']),
    },
  };
}

export function stateOf(hook: Hook): HookState {
  if (hook.problem !== undefined) return 'broken';
  if (hook.missing.length > 0) return 'needs';
  return hook.disabled ? 'off' : 'ready';
}

/** Switches a hook; who switches one on wants hooks to run at all. */
export async function switchHook(app: Asks, name: string, on: boolean): Promise<void> {
  const entries = { [name]: { enabled: on } };
  await writeConfig(app, () => ({ hooks: { internal: on ? { enabled: true, entries } : { entries } } }));
}
