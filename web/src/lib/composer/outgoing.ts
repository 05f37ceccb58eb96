// A message on its way out: what goes with it, and the name its run gets.
import { type Attached, wireFile } from './attachments';
import type { Methods } from '../connection/wire';

/** What goes with a message besides its words. */
export interface Outgoing {
  files?: readonly Attached[];
  /** What becomes of it while a run is under way: `steer` goes to that run, else it waits its turn. */
  mode?: 'steer';
}

/** The same in the words of `chat.send`. */
export function wireOf(more: Outgoing | undefined): Pick<Methods['chat.send']['params'], 'attachments' | 'queueMode'> {
  return { ...(more?.files?.length ? { attachments: more.files.map(wireFile) } : {}), ...(more?.mode ? { queueMode: more.mode } : {}) };
}

/** A name nobody else has. */
export function newId(): string {
  // randomUUID exists only on secure pages; this must also work over plain http at home.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
