// The time, for what is told relative to it. Call `run` in an effect and return what it returns.
const EVERY_MS = 15_000;

export class Clock {
  now = $state(Date.now());

  constructor(private readonly everyMs = EVERY_MS) {}

  /** Moves on while somebody looks, and catches up when they look again. */
  run(): () => void {
    const move = (): void => {
      if (!document.hidden) this.now = Date.now();
    };
    move();
    const timer = setInterval(move, this.everyMs);
    document.addEventListener('visibilitychange', move);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', move);
    };
  }
}
