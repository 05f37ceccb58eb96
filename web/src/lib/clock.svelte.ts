// The time, for what is told relative to it. Call `run` in an effect and return what it returns.
export class Clock {
  now = $state(Date.now());

  constructor(private readonly everyMs = 15_000) {}

  run(): () => void {
    this.now = Date.now();
    const timer = setInterval(() => (this.now = Date.now()), this.everyMs);
    return () => clearInterval(timer);
  }
}
