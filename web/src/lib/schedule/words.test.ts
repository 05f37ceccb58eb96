import { describe, expect, it } from 'vitest';
import { ownZone } from '../text/moments';
import { scheduleWords, span } from './words';

describe('a schedule in a line', () => {
  it('is said as people do, and names a zone that is not the reader’s', () => {
    const tz = ownZone();
    const said = (expr: string): string => scheduleWords({ kind: 'cron', expr, tz }, 0);
    expect(said('5 7 * * *')).toBe('Every day at 07:05');
    expect(said('30 8 * * 1-5')).toBe('Monday to Friday at 08:30');
    expect(said('0 9 * * 0,3')).toBe('Wednesday, Sunday at 09:00');
    expect(said('0 8 L * *')).toBe('On the last day of every month at 08:00');
    expect(said('*/7 * * * *')).toBe('Cron */7 * * * *');
    expect(scheduleWords({ kind: 'cron', expr: '5 7 * * *', tz: 'Pacific/Chatham' }, 0)).toBe('Every day at 07:05 (Pacific/Chatham)');
    expect(scheduleWords({ kind: 'every', everyMs: 5_400_000 }, 0)).toBe('Every 90 minutes');
    expect(scheduleWords({ kind: 'at', at: 'never' }, 0)).toBe('Once, never');
    expect([span(60_000), span(86_400_000 * 2), span(1500)]).toEqual(['minute', '2 days', '1.5 seconds']);
  });
});
