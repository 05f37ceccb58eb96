// Where a choice of models is read and written.
import { describe, expect, it } from 'vitest';
import { type Model, chainOf, choiceFrom, choiceOf, choicePatch, customPatch, editProvider, filterModels, isAddress, moved, price, writtenChoices, writtenProviders } from './models';
import { fieldsOf } from '../read';

const model = (more: Partial<Model>): Model => ({
  id: 'm',
  name: 'M',
  provider: 'p',
  contextWindow: 1,
  reasoning: false,
  input: ['text'],
  tags: [],
  thinkingLevels: [],
  thinkingDefault: 'off',
  available: true,
  ...more,
});

describe('choices of models', () => {
  it('are read in both spellings', () => {
    expect(choiceOf('a/b')).toEqual({ primary: 'a/b', fallbacks: [] });
    expect(choiceOf({ primary: 'a/b', fallbacks: ['c/d', 3] })).toEqual({ primary: 'a/b', fallbacks: ['c/d'] });
    for (const nothing of [undefined, null, {}, 3, []]) expect(choiceOf(nothing)).toBeUndefined();
    expect(choiceFrom(chainOf({ primary: 'a', fallbacks: ['b'] }))).toEqual({ primary: 'a', fallbacks: ['b'] });
    expect(choiceFrom([])).toBeUndefined();
  });

  it('are found for everybody and for each agent, and written where they belong', () => {
    const config = { agents: { defaults: { model: 'a/b' }, list: [{ id: 'main' }, { id: 'work', model: { primary: 'c/d' } }] } };
    expect(writtenChoices(config, ['main', 'work']).map((one) => one.own?.primary)).toEqual(['a/b', undefined, 'c/d']);
    expect(choicePatch(config, undefined, { primary: 'x/y', fallbacks: [] }).patch).toEqual({ agents: { defaults: { model: { primary: 'x/y', fallbacks: [] } } } });
    expect(choicePatch(config, 'work', undefined).patch).toEqual({ agents: { list: [{ id: 'work', model: null }] } });
    expect(choicePatch({ agents: { entries: { work: {} } } }, 'work', { primary: 'x/y', fallbacks: ['z/w'] }).patch).toEqual({
      agents: { entries: { work: { model: { primary: 'x/y', fallbacks: ['z/w'] } } } },
    });
  });

  it('move within the list and stay at its ends', () => {
    expect(moved(['a', 'b', 'c'], 2, -1)).toEqual(['a', 'c', 'b']);
    expect(moved(['a', 'b'], 0, -1)).toEqual(['a', 'b']);
    expect(moved(['a', 'b'], 1, 1)).toEqual(['a', 'b']);
  });

  it('are filtered by words, provider and abilities', () => {
    const all = [model({ id: 'one', reasoning: true }), model({ id: 'two', input: ['text', 'image'], available: false }), model({ id: 'three', provider: 'q' })];
    const none = { text: '', provider: '', usable: false, thinks: false, sees: false };
    expect(filterModels(all, { ...none, text: 'p/ tw' }).map((one) => one.id)).toEqual(['two']);
    expect(filterModels(all, { ...none, usable: true }).length).toBe(2);
    expect(filterModels(all, { ...none, thinks: true }).map((one) => one.id)).toEqual(['one']);
    expect(filterModels(all, { ...none, sees: true, provider: 'p' }).map((one) => one.id)).toEqual(['two']);
  });
});

describe('a provider of one’s own', () => {
  it('is written with its models, and never with its key', () => {
    expect(customPatch({ id: 'mine', baseUrl: ' http://x/v1 ', api: 'openai-completions', key: 'k', models: 'a\n b , c', sees: false })).toEqual({
      models: {
        providers: {
          mine: {
            baseUrl: 'http://x/v1',
            api: 'openai-completions',
            models: [
              { id: 'a', name: 'a' },
              { id: 'b', name: 'b' },
              { id: 'c', name: 'c' },
            ],
          },
        },
      },
    });
    expect(isAddress('http://127.0.0.1:1/v1')).toBe(true);
    for (const bad of ['', 'x', 'javascript:alert(1)', 'ftp://x']) expect(isAddress(bad)).toBe(false);
  });

  it('is edited without losing what is written of its models', () => {
    const written = { baseUrl: 'http://x', api: 'ollama', apiKey: '__hidden__', models: [{ id: 'a', name: 'A', contextWindow: 9 }] };
    const form = editProvider('mine', written);
    expect(form).toMatchObject({ id: 'mine', baseUrl: 'http://x', api: 'ollama', key: '', models: 'a', sees: false });
    const models = (more: Partial<typeof form>): unknown => fieldsOf(writtenProviders(customPatch({ ...form, ...more })).mine).models;
    expect(models({})).toEqual(written.models);
    expect(models({ sees: true, models: 'a\nb' })).toEqual([
      { ...written.models[0], input: ['text', 'image'] },
      { id: 'b', name: 'b', input: ['text', 'image'] },
    ]);
    expect(models({ models: '' })).toEqual([]);
  });

  it('has prices a person can read', () => {
    expect([0, 0.075, 3, 15.5, 0.3].map(price)).toEqual(['$0', '$0.075', '$3', '$15.5', '$0.3']);
  });
});
