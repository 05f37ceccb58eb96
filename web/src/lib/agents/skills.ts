// What the page of skills says about each: whether an agent has it, and if not what is missing, in words.
import type { Tone } from '../../kit/Badge.svelte';
import { words } from '../../words/skills';
import type { Methods } from '../connection/wire';

export type Skill = Methods['skills.status']['result']['skills'][number];
export type SkillState = 'ready' | 'off' | 'missing' | 'left-out' | 'broken';
export type Shown = 'all' | 'ready' | 'needs' | 'off';

export function stateOf(skill: Skill): SkillState {
  if (skill.problem) return 'broken';
  if (skill.disabled) return 'off';
  if (skill.blockedByAllowlist || skill.blockedByAgentFilter) return 'left-out';
  return skill.eligible ? 'ready' : 'missing';
}

export const TONES: Readonly<Record<SkillState, Tone>> = { ready: 'good', off: 'plain', missing: 'warn', 'left-out': 'plain', broken: 'bad' };

/** What an agent would need to have the skill, one sentence each. */
export function needsOf(skill: Skill): string[] {
  const said = words.needs;
  const { missing } = skill;
  const sentences: string[] = [];
  if (missing.bins.length > 0) sentences.push(said.bins(missing.bins));
  if (missing.anyBins.length > 0) sentences.push(said.anyBins(missing.anyBins));
  if (missing.env.length > 0) sentences.push(said.env(missing.env));
  if (missing.config.length > 0) sentences.push(said.config(missing.config));
  if (missing.os.length > 0) sentences.push(said.os(missing.os.map((os) => said.systems[os] ?? os)));
  if (skill.blockedByAllowlist) sentences.push(said.allowlist);
  if (skill.blockedByAgentFilter) sentences.push(said.filter);
  return sentences;
}

export function shownSkills(skills: readonly Skill[], shown: Shown, text: string): Skill[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  return skills.filter((skill) => {
    const state = stateOf(skill);
    if (shown === 'ready' && state !== 'ready') return false;
    if (shown === 'off' && state !== 'off') return false;
    if (shown === 'needs' && state !== 'missing' && state !== 'broken' && state !== 'left-out') return false;
    const all = [skill.name, skill.description, skill.source, ...(skill.requirements?.bins ?? [])].join(' ').toLowerCase();
    return wanted.every((word) => all.includes(word));
  });
}

export function counts(skills: readonly Skill[]): Record<Shown, number> {
  return { all: skills.length, ready: shownSkills(skills, 'ready', '').length, needs: shownSkills(skills, 'needs', '').length, off: shownSkills(skills, 'off', '').length };
}

/** Variables a person may fill in: what it asks for beside its key. */
export function variablesOf(skill: Skill): string[] {
  return (skill.requirements?.env ?? []).filter((name) => name !== skill.primaryEnv);
}

/** An address that may be opened from here. */
export function homepageOf(skill: Skill): string | undefined {
  return skill.homepage && /^https?:\/\//i.test(skill.homepage) ? skill.homepage : undefined;
}
