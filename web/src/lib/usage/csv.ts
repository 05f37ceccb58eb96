// Tables as files for spreadsheets.

/** What a spreadsheet would take for the beginning of a formula. */
const FORMULA = /^[\s\u0000-\u001f]*[=+\-@\t\r]/;
const NUMBER = /^-?\d+(\.\d+)?(e-?\d+)?$/i;

/** One cell: quoted, and never run as a formula by a program that opens it. */
export function csvCell(value: string | number | undefined): string {
  if (value === undefined) return '';
  const text = String(value);
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n';]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csvOf(head: readonly string[], rows: readonly (readonly (string | number | undefined)[])[]): string {
  return [head, ...rows].map((row) => row.map(csvCell).join(',')).join('\r\n') + '\r\n';
}

/** Hands a text to the person as a file. */
export function download(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // Not at once: some browsers begin only after the click has been handled.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
