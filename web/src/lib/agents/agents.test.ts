import { describe, expect, it } from 'vitest';
import { diffLines, faceOf, modelPatch, ownModel } from './agents';
import type { App } from '../app.svelte';
import { FileDraft } from './file_draft.svelte';
import { GatewayError } from '../connection/gateway';

describe('an agent', () => {
  it('has a picture only when it is here already', () => {
    const looks = { name: 'Work', emoji: '🛠', avatar: '' };
    expect(faceOf(looks)).toEqual({ sign: '🛠' });
    expect(faceOf({ ...looks, emoji: '' })).toEqual({ sign: 'W' });
    expect(faceOf({ ...looks, avatar: 'https://tracker.example/a.png' })).toEqual({ sign: '🛠' });
    expect(faceOf({ ...looks, avatar: 'javascript:alert(1)' })).toEqual({ sign: '🛠' });
    expect(faceOf({ ...looks, avatar: 'AB' })).toEqual({ sign: 'AB' });
    expect(faceOf({ ...looks, avatar: 'data:image/png;base64,AAAA' })).toEqual({ picture: 'data:image/png;base64,AAAA' });
    expect(faceOf({ ...looks, avatar: 'data:image/svg+xml;base64,AAAA' })).toEqual({ sign: '🛠' });
    expect(faceOf({ name: '', emoji: '', avatar: '' })).toEqual({ sign: '?' });
  });

  it('has its own model in either way the settings write agents', () => {
    const named = { agents: { entries: { work: { model: { primary: 'a/b', fallbacks: ['c/d'] } } } } };
    const listed = { agents: { list: [{ id: 'work', model: 'a/b' }] } };
    expect(ownModel(named, 'work')).toEqual({ primary: 'a/b', fallbacks: ['c/d'] });
    expect(ownModel(listed, 'work')).toEqual({ primary: 'a/b', fallbacks: undefined });
    expect(ownModel({}, 'work')).toEqual({ primary: undefined, fallbacks: undefined });
    expect(modelPatch(named, 'work', { primary: undefined, fallbacks: undefined })).toEqual({ agents: { entries: { work: { model: null } } } });
    expect(modelPatch(listed, 'work', { primary: 'x/y', fallbacks: [] })).toEqual({ agents: { list: [{ id: 'work', model: { primary: 'x/y', fallbacks: [] } }] } });
  });
});

describe('two texts', () => {
  it('are compared line by line', () => {
    expect(diffLines('a\nb\nc', 'a\nx\nc')).toEqual([
      { kind: 'same', text: 'a' },
      { kind: 'theirs', text: 'b' },
      { kind: 'mine', text: 'x' },
      { kind: 'same', text: 'c' },
    ]);
    expect(diffLines('same', 'same')).toEqual([{ kind: 'same', text: 'same' }]);
    const join = (kinds: string[], lines: ReturnType<typeof diffLines>): string =>
      lines
        .filter(({ kind }) => kinds.includes(kind))
        .map(({ text }) => text)
        .join('\n');
    const [one, other] = ['one\ntwo\nthree\nfour', 'zero\none\nthree\nfive\nfour'];
    const lines = diffLines(one, other);
    expect(join(['same', 'theirs'], lines)).toBe(one);
    expect(join(['same', 'mine'], lines)).toBe(other);
  });

  it('that are enormous are still compared', () => {
    const many = Array.from({ length: 20_000 }, (_, n) => `line ${n}`);
    const lines = diffLines(many.join('\n'), [...many.slice(0, 10), 'new', ...many.slice(11)].join('\n'));
    expect(lines.filter(({ kind }) => kind !== 'same')).toEqual([
      { kind: 'theirs', text: 'line 10' },
      { kind: 'mine', text: 'new' },
    ]);
  });
});

describe('a file that is edited', () => {
  /** A gateway with one file. */
  function gateway(content: string): { app: App; disk: { content: string } } {
    const disk = { content };
    const file = () => ({ name: 'SOUL.md', path: '/w/SOUL.md', missing: false, content: disk.content, hash: `h-${disk.content}` });
    const request = (method: string, params: { content?: string; expectedHash?: string }): Promise<unknown> => {
      if (method === 'agents.files.set') {
        if (params.expectedHash !== undefined && params.expectedHash !== `h-${disk.content}`) {
          return Promise.reject(new GatewayError('INVALID_REQUEST', 'changed', { type: 'agent_file_conflict' }));
        }
        disk.content = params.content ?? '';
      }
      return Promise.resolve({ file: file() });
    };
    return { app: { request } as unknown as App, disk };
  }

  it('knows whether it was changed and is saved with what it was', async () => {
    const { app, disk } = gateway('one');
    const draft = new FileDraft('main', 'SOUL.md');
    await draft.load(app);
    expect([draft.text, draft.dirty]).toEqual(['one', false]);
    draft.text = 'two';
    expect(draft.dirty).toBe(true);
    await draft.load(app);
    expect(draft.text).toBe('two');
    expect(await draft.save(app)).toBe(true);
    expect([disk.content, draft.dirty]).toEqual(['two', false]);
  });

  it('does not overwrite what somebody else wrote unless it is told to', async () => {
    const { app, disk } = gateway('one');
    const draft = new FileDraft('main', 'SOUL.md');
    await draft.load(app);
    draft.text = 'mine';
    disk.content = 'theirs';
    expect(await draft.save(app)).toBe(false);
    expect(draft.theirs?.content).toBe('theirs');
    expect(await draft.save(app, draft.theirs)).toBe(true);
    expect(disk.content).toBe('mine');

    draft.text = 'mine again';
    disk.content = 'theirs again';
    await draft.save(app);
    draft.takeTheirs();
    expect([draft.text, draft.dirty, draft.theirs]).toEqual(['theirs again', false, undefined]);
  });
});
