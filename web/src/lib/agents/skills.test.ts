import { describe, expect, it } from 'vitest';
import { counts, homepageOf, needsOf, shownSkills, type Skill, stateOf, variablesOf } from './skills';

const nothing = { bins: [], anyBins: [], env: [], config: [], os: [] };

function skill(patch: Partial<Skill> = {}): Skill {
  return {
    name: 'weather',
    description: 'Forecasts',
    source: 'openclaw-bundled',
    bundled: true,
    filePath: '/s/weather/SKILL.md',
    baseDir: '/s/weather',
    skillKey: 'weather',
    always: false,
    disabled: false,
    blockedByAllowlist: false,
    blockedByAgentFilter: false,
    eligible: true,
    modelInvocable: true,
    userInvocable: true,
    requirements: nothing,
    missing: nothing,
    configChecks: [],
    install: [],
    ...patch,
  };
}

describe('a skill', () => {
  it('is ready, off, left out, broken or lacks something', () => {
    expect(stateOf(skill())).toBe('ready');
    expect(stateOf(skill({ disabled: true, eligible: false }))).toBe('off');
    expect(stateOf(skill({ blockedByAgentFilter: true, eligible: false }))).toBe('left-out');
    expect(stateOf(skill({ problem: 'the file has no head', eligible: false }))).toBe('broken');
    expect(stateOf(skill({ eligible: false }))).toBe('missing');
  });

  it('says in words what it lacks', () => {
    const lacks = skill({
      eligible: false,
      missing: { bins: ['ffmpeg', 'pdftotext'], anyBins: ['rg', 'grep'], env: ['KEY'], config: ['tools.web.search.enabled'], os: ['darwin'] },
      blockedByAllowlist: true,
    });
    const said = needsOf(lacks).join(' ');
    for (const word of ['ffmpeg', 'pdftotext', 'rg', 'KEY', 'tools.web.search.enabled', 'macOS', 'allowBundled']) expect(said).toContain(word);
    expect(needsOf(skill())).toEqual([]);
  });

  it('is found by state and words', () => {
    const all = [skill(), skill({ name: 'invoices', eligible: false }), skill({ name: 'tides', disabled: true, eligible: false })];
    expect(counts(all)).toEqual({ all: 3, ready: 1, needs: 1, off: 1 });
    expect(shownSkills(all, 'all', 'INVO').map(({ name }) => name)).toEqual(['invoices']);
    expect(shownSkills(all, 'needs', '').map(({ name }) => name)).toEqual(['invoices']);
  });

  it('asks for variables beside its key, and links only to the web', () => {
    expect(variablesOf(skill({ primaryEnv: 'KEY', requirements: { ...nothing, env: ['KEY', 'HOST'] } }))).toEqual(['HOST']);
    expect(homepageOf(skill({ homepage: 'javascript:alert(1)' }))).toBeUndefined();
    expect(homepageOf(skill({ homepage: 'https://example.org' }))).toBe('https://example.org');
  });
});
