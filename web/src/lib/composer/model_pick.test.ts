// Pickers beside the composer.
import { expect, it } from 'vitest';
import { modelGroups, modelName, thinkingLevels } from './model_pick';

it('groups models by provider, marks the one in use and what cannot be used', () => {
  const models = [
    { id: 'a', name: 'Model A', provider: 'one', contextWindow: 128_000, tags: ['default'], available: true },
    { id: 'b', name: '', provider: 'two', available: false },
    { id: 'c', name: 'C', provider: 'one', available: true },
    { id: 'a', name: 'again', provider: 'one', available: true },
  ];
  const groups = modelGroups(models, 'one', 'a');
  expect(groups.map((group) => group.title)).toEqual(['one', 'two']);
  expect(groups[0]?.options).toEqual([
    { id: 'one/a', label: 'Model A', hint: 'default · 128K', current: true, disabled: false },
    { id: 'one/c', label: 'C', hint: '', current: false, disabled: false },
  ]);
  expect(groups[1]?.options[0]).toMatchObject({ label: 'b', hint: 'no credentials', disabled: true });
});

it('names models shortly', () => {
  expect([modelName('org/deep/model'), modelName('plain'), modelName('odd/')]).toEqual(['model', 'plain', 'odd/']);
});

it('reads thinking levels without trusting them', () => {
  expect(thinkingLevels([{ id: 'low', label: 'Low' }, { id: 'high' }, null, { label: 'x' }])).toEqual([
    { id: 'low', label: 'Low' },
    { id: 'high', label: 'high' },
  ]);
  expect(thinkingLevels('odd')).toEqual([]);
});
