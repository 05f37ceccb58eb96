// The words of the page "Overview".
export const words = {
  title: 'Overview',
} as const;
