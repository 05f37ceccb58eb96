// The words of the page "Usage".
export const words = {
  title: 'Usage',
} as const;
