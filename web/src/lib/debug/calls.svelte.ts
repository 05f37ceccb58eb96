// The calls made on the debug page; they stay while the page is open, whichever part of it is looked at.
import type { App } from '../app.svelte';
import { type Failure, HISTORY_MAX, failureOf } from './calls';
import type { MethodName } from '../connection/wire';

export interface Call {
  id: number;
  method: string;
  params: Record<string, unknown>;
  at: number;
  tookMs: number;
  outcome: { ok: true; value: unknown } | { ok: false; failure: Failure };
}

class Calls {
  history = $state.raw<readonly Call[]>([]);
  running = $state(false);
  #nextId = 1;

  async make(app: App, method: string, params: Record<string, unknown>): Promise<Call> {
    this.running = true;
    const at = Date.now();
    const began = performance.now();
    let outcome: Call['outcome'];
    try {
      // Any method may be called here; the gateway decides.
      outcome = { ok: true, value: await app.request(method as MethodName, params as never) };
    } catch (error) {
      outcome = { ok: false, failure: failureOf(error) };
    }
    const call = { id: this.#nextId++, method, params, at, tookMs: performance.now() - began, outcome };
    this.history = [call, ...this.history].slice(0, HISTORY_MAX);
    this.running = false;
    return call;
  }

  clear(): void {
    this.history = [];
  }
}

export const calls = new Calls();
