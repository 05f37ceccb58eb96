// The words of the page "Logs".
export const words = {
  title: 'Logs',
} as const;
