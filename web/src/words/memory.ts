// The words of the page "Memory".
export const words = {
  title: 'Memory',
} as const;
