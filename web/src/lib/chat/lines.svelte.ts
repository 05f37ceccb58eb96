// The lines of a conversation as they stand on the page, and how what a run says becomes or changes one.
import { fieldsOf, stringOf } from '../read';
import type { LiveRun } from './live_run';
import { settledItem } from './merge';
import { type Item, newTool, textId, thinkingId, toolId, type ToolItem, withToolOutput } from './transcript';

export class Lines {
  all = $state.raw<readonly Item[]>([]);

  find(id: string): Item | undefined {
    // Live lines are at the end.
    return this.all.findLast((item) => item.id === id);
  }

  put(item: Item): void {
    const index = this.all.findLastIndex((other) => other.id === item.id);
    if (index >= 0) this.all = this.all.with(index, item);
  }

  append(item: Item): void {
    if (this.find(item.id)) this.put(item);
    else this.all = [...this.all, item];
  }

  /** Nothing more is said by a run. */
  settle(runId: string): void {
    this.all = this.all.map((item) => (item.runId === runId ? settledItem(item) : item));
  }

  /** What a run says at the moment; tells whether it says anything. */
  text(run: LiveRun, model: string | undefined, ending?: 'aborted'): boolean {
    const text = run.current;
    if (!text.trim()) return false;
    const id = textId(run.runId, run.segment);
    const known = this.find(id);
    const at = known?.kind === 'text' ? known.at : Date.now();
    this.append({ kind: 'text', id, runId: run.runId, text, at, streaming: ending === undefined, ...(model ? { model } : {}), ...(ending ? { ending } : {}) });
    return true;
  }

  thinking(run: LiveRun, data: Record<string, unknown>): void {
    const id = thinkingId(run.runId, run.thought);
    const known = this.find(id);
    const sofar = known?.kind === 'thinking' ? known.text : '';
    const text = stringOf(data.text) ?? sofar + (stringOf(data.delta) ?? '');
    const startedAt = (known?.kind === 'thinking' ? known.startedAt : undefined) ?? Date.now();
    if (text.trim()) this.append({ kind: 'thinking', id, runId: run.runId, text, streaming: true, startedAt });
  }

  /** Words or a tool follow: the thought is complete, the next one is another. */
  endThought(run: LiveRun): void {
    const known = this.find(thinkingId(run.runId, run.thought));
    if (known?.kind !== 'thinking') return;
    const durationMs = known.startedAt === undefined ? undefined : Date.now() - known.startedAt;
    this.put({ ...known, streaming: false, ...(durationMs === undefined ? {} : { durationMs }) });
    run.thought += 1;
  }

  /** A tool has answered. */
  toolResult(runId: string, callId: string, data: Record<string, unknown>, at: number | undefined): void {
    const tool = this.#tool(runId, callId, data);
    const duration = tool.startedAt !== undefined && at !== undefined ? at - tool.startedAt : undefined;
    this.append({ ...withToolOutput({ ...tool, durationMs: duration }, data.result), state: data.isError === true ? 'failed' : 'done' });
  }

  /** A tool was called, or says something meanwhile. */
  toolCall(run: LiveRun, callId: string, data: Record<string, unknown>, at: number | undefined): void {
    const tool = this.#tool(run.runId, callId, data);
    if (!this.find(toolId(callId))) {
      this.endThought(run);
      run.seal();
    }
    const told = data.phase === 'update' ? withToolOutput(tool, data.partialResult) : { ...tool, args: fieldsOf(data.args), startedAt: at };
    this.append({ ...told, state: 'running' });
  }

  #tool(runId: string, callId: string, data: Record<string, unknown>): ToolItem {
    const known = this.find(toolId(callId));
    return known?.kind === 'tool' ? known : newTool(callId, runId, stringOf(data.name) ?? 'tool');
  }
}

/** Draws at the next frame, or soon when the page is hidden and has no frames. */
export function nextFrame(draw: () => void): void {
  if (document.hidden) setTimeout(draw, 250);
  else requestAnimationFrame(draw);
}
