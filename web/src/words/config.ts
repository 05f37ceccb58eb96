// The words of the page "Config".
export const words = {
  title: 'Config',
} as const;
