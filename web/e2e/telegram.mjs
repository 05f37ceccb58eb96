// The fake Telegram as a process: people write to the bot, calls are refused, and what was sent is read.
//   FAKE_TELEGRAM_BIN  the program (default: target/debug/fake_telegram of this workspace)
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = process.env.FAKE_TELEGRAM_BIN ?? fileURLToPath(new URL('../../target/debug/fake_telegram', import.meta.url));

export class FakeTelegram {
  async start() {
    this.child = spawn(PROGRAM, [], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
    Object.assign(this, await this.#next());
    return this;
  }

  /** `{says: {user, text, name?, chat?}}`, `{fails: {method, code, words?}}`, `{closes: {chat, why}}`, `{sent: true}`. */
  async order(order) {
    this.child.stdin.write(`${JSON.stringify(order)}\n`);
    const answer = await this.#next();
    if (answer.error) throw new Error(answer.error);
    return answer;
  }

  async #next() {
    const { value, done } = await this.lines.next();
    if (done) throw new Error('the fake Telegram ended');
    return JSON.parse(value);
  }

  stop() {
    this.child?.kill('SIGKILL');
  }
}
