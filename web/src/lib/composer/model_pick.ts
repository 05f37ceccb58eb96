// Models and thinking levels as the pickers beside the composer show them. Pure.
import { fieldsOf, stringOf } from '../read';
import { short } from '../text/amounts';
import { words } from '../../words/composer';

export interface ModelFacts {
  id: string;
  name?: string;
  provider: string;
  contextWindow?: number | null;
  input?: readonly string[];
  tags?: readonly string[];
  available?: boolean;
}

/** The last part of a long name: `org/model` → `model`. */
export function modelName(id: string): string {
  return id.split('/').at(-1) || id;
}

export function isSame(model: ModelFacts, provider: string | undefined, id: string | undefined): boolean {
  return model.id === id && (provider === undefined || model.provider === provider);
}

/** Models by provider, providers in the order they are first named. */
export function modelGroups(models: readonly ModelFacts[], provider: string | undefined, id: string | undefined) {
  const groups = new Map<string, { id: string; label: string; hint: string; current: boolean; disabled: boolean }[]>();
  const seen = new Set<string>();
  for (const model of models) {
    const whole = `${model.provider}/${model.id}`;
    if (typeof model.id !== 'string' || typeof model.provider !== 'string' || seen.has(whole)) continue;
    seen.add(whole);
    const hints = [model.available === false ? words.modelUnavailable : '', model.tags?.includes('default') ? words.modelDefault : '', model.contextWindow ? short(model.contextWindow) : ''];
    const options = groups.get(model.provider) ?? [];
    options.push({ id: whole, label: model.name || model.id, hint: hints.filter(Boolean).join(' · '), current: isSame(model, provider, id), disabled: model.available === false });
    groups.set(model.provider, options);
  }
  return [...groups].map(([title, options]) => ({ title, options }));
}

/** Levels as the gateway lists them; odd ones are left out. */
export function thinkingLevels(list: unknown): { id: string; label: string }[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry) => {
    const { id, label } = fieldsOf(entry);
    return typeof id === 'string' && id ? [{ id, label: stringOf(label) || id }] : [];
  });
}
