// Short notes at the foot of the page, some with an act that takes back what was just done.

const SHOWN_MS = 8_000;
const MOST = 4;

export interface ToastAct {
  label: string;
  run: () => unknown;
}

export interface Toast {
  id: number;
  text: string;
  act: ToastAct | undefined;
  /** Whether it says that something went wrong. */
  bad: boolean;
  /** What it is about: of two notes about one thing the newer stays. */
  about: string | undefined;
}

interface Clock {
  timer: ReturnType<typeof setTimeout> | undefined;
}

export class Toasts {
  list = $state.raw<readonly Toast[]>([]);
  #next = 1;
  #clocks = new Map<number, Clock>();

  show(text: string, options: { act?: ToastAct; bad?: boolean; stays?: boolean; about?: string } = {}): number {
    const { about } = options;
    if (about !== undefined) this.forget(about);
    const id = this.#next++;
    this.list = [...this.list, { id, text, act: options.act, bad: options.bad ?? false, about }];
    if (!options.stays) this.#clocks.set(id, { timer: undefined });
    this.resume(id);
    for (const oldest of this.list.slice(0, Math.max(0, this.list.length - MOST))) this.close(oldest.id);
    return id;
  }

  /** Somebody looks at it: it stays. */
  hold(id: number): void {
    const clock = this.#clocks.get(id);
    if (clock) clearTimeout(clock.timer);
  }

  /** They look away: its time begins again. */
  resume(id: number): void {
    const clock = this.#clocks.get(id);
    if (!clock) return;
    clearTimeout(clock.timer);
    clock.timer = setTimeout(() => this.close(id), SHOWN_MS);
  }

  close(id: number): void {
    this.hold(id);
    this.#clocks.delete(id);
    this.list = this.list.filter((toast) => toast.id !== id);
  }

  /** What notes about this said no longer holds. */
  forget(about: string): void {
    for (const toast of this.list) if (toast.about === about) this.close(toast.id);
  }

  async run(toast: Toast): Promise<void> {
    this.close(toast.id);
    await toast.act?.run();
  }
}
