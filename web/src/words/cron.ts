// The words of the page "Cron".
export const words = {
  title: 'Cron',
} as const;
