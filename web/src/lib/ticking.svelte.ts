// The time for pages that say "in 5 min": it moves on while somebody looks.
const TICK_MS = 1_000;

export class Ticking {
  now = $state(Date.now());

  /** Call in an effect and return what it returns. */
  follow(): () => void {
    this.now = Date.now();
    const timer = setInterval(() => {
      if (!document.hidden) this.now = Date.now();
    }, TICK_MS);
    return () => clearInterval(timer);
  }
}
