// Tries a pattern on lines, away from the page: a pattern that never ends can be stopped by ending this worker.
interface Question {
  pattern: string;
  lines: readonly (readonly [number, string])[];
}

self.onmessage = ({ data }: MessageEvent<Question>) => {
  const pattern = new RegExp(data.pattern, 'i');
  const found: number[] = [];
  for (const [id, text] of data.lines) if (pattern.test(text)) found.push(id);
  self.postMessage(found);
};
