// The words of the page "Debug".
export const words = {
  title: 'Debug',
} as const;
