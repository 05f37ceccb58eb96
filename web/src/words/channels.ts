// The words of the page "Channels".
export const words = {
  title: 'Channels',
} as const;
