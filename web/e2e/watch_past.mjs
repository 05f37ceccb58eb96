// A month that has passed, for pictures: the gateway of a test is minutes old, so what it answers about the past is
// filled in on the way to the page. Everything else passes untouched.
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MODELS = [
  ['anthropic', 'claude-opus-4', 0.5],
  ['openai', 'gpt-5-mini', 0.3],
  ['local', 'qwen-3-coder', 0],
];

/** The same numbers every time. */
function chance(seed) {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** People sleep, and work less at weekends. */
function bustle(at) {
  const date = new Date(at);
  const awake = Math.max(0, Math.sin(((date.getHours() - 6) / 17) * Math.PI));
  return awake * (date.getDay() % 6 === 0 ? 0.4 : 1);
}

function hours({ hours: rows, ts }) {
  const random = chance(7);
  return {
    ts,
    hours: rows.map((row) => {
      const much = bustle(row.at) * (0.5 + random());
      const turns = Math.round(much * 9);
      const slow = 900 + random() * 2_600;
      const busy = turns > 0 ? { latencyP50Ms: Math.round(slow * 0.45), latencyP95Ms: Math.round(slow * (1 + random())) } : {};
      return {
        at: row.at,
        turns,
        calls: turns * 2,
        inputTokens: Math.round(turns * 5_200 * (0.6 + random())),
        outputTokens: Math.round(turns * 640 * (0.6 + random())),
        cost: turns * 0.021 * (0.5 + random()),
        errors: random() > 0.93 ? 1 : 0,
        ...busy,
      };
    }),
  };
}

function totals(much, price) {
  const input = Math.round(much * 21_000);
  const cacheRead = Math.round(much * 64_000);
  const output = Math.round(much * 7_400);
  const cost = much * price;
  return {
    input,
    output,
    cacheRead,
    cacheWrite: 0,
    totalTokens: input + cacheRead + output,
    totalCost: cost,
    inputCost: cost * 0.6,
    outputCost: cost * 0.4,
    cacheReadCost: 0,
    cacheWriteCost: 0,
    missingCostEntries: price === 0 ? 12 : 0,
    calls: Math.round(much * 14),
    lostCalls: 0,
  };
}

function sum(list) {
  const all = {};
  for (const one of list) for (const [name, value] of Object.entries(one)) if (typeof value === 'number') all[name] = (all[name] ?? 0) + value;
  return all;
}

function dates(start, end) {
  const found = [];
  for (let at = Date.parse(`${start}T12:00:00Z`); at <= Date.parse(`${end}T12:00:00Z`); at += DAY) found.push(new Date(at).toISOString().slice(0, 10));
  return found;
}

function report(real) {
  const random = chance(11);
  const cells = dates(real.startDate, real.endDate).flatMap((date) => {
    const weekend = new Date(`${date}T12:00:00`).getDay() % 6 === 0;
    return MODELS.map(([provider, model, price]) => ({ date, provider, model, totals: totals((weekend ? 0.6 : 2) * (0.4 + random()), price) }));
  });
  const of = (keep) => sum(cells.filter(keep).map((cell) => cell.totals));
  const all = of(() => true);
  const part = (share) => Object.fromEntries(Object.entries(all).map(([name, value]) => [name, name.endsWith('ost') ? value * share : Math.round(value * share)]));
  const session = (key, label, share, channel) => ({
    key,
    label,
    scope: 'instance',
    channel,
    agentId: 'main',
    usage: { ...part(share), firstActivity: 0, lastActivity: 0, durationMs: 0, activityDates: [], dailyBreakdown: [], messageCounts: {}, modelUsage: [] },
    hasContextWeight: true,
  });
  return {
    ...real,
    sessions: [
      session('agent:main:main', undefined, 0.41),
      session('agent:main:telegram:direct:12', 'Garden and tides', 0.27, 'telegram'),
      session('agent:main:web-1', 'Tax papers', 0.14),
      session('agent:research:web-2', 'Lobster anatomy', 0.11),
      session('agent:main:discord:group:9', '<img src=x onerror=alert(1)>', 0.07, 'discord'),
    ],
    totals: all,
    aggregates: {
      ...real.aggregates,
      messages: { total: 900, user: 412, assistant: 420, toolCalls: 300, toolResults: 300, errors: 9 },
      latency: { count: 800, avgMs: 1_420, p95Ms: 4_130, minMs: 200, maxMs: 9_000 },
      byModel: MODELS.map(([provider, model]) => ({ provider, model, count: 1, totals: of((cell) => cell.model === model) })),
      byAgent: [
        { agentId: 'main', totals: part(0.89) },
        { agentId: 'research', totals: part(0.11) },
      ],
      byChannel: [
        { channel: 'telegram', totals: part(0.27) },
        { channel: 'discord', totals: part(0.07) },
      ],
      costDaily: dates(real.startDate, real.endDate).map((date) => ({ date, ...of((cell) => cell.date === date) })),
      modelDaily: cells.map(({ date, provider, model, totals: one }) => ({ date, provider, model, tokens: one.totalTokens, cost: one.totalCost, count: one.calls })),
    },
  };
}

/** Days end today, so that the same numbers come out for the list and for the budgets. */
function spending(days) {
  const random = chance(5);
  return Array.from({ length: days }, () => totals(2 * (0.4 + random()), 0.27)).reverse();
}

function cost(real) {
  const days = spending(real.daily.length);
  const daily = real.daily.map((day, index) => ({ ...day, ...days[index] }));
  return { ...real, daily, totals: sum(daily) };
}

function budgets(real) {
  const month = spending(new Date().getUTCDate());
  const used = { 'budgets.gateway.day.usd': month.at(-1).totalCost, 'budgets.gateway.month.usd': sum(month).totalCost, 'budgets.gateway.month.tokens': 840_000 };
  return { ...real, budgets: real.budgets.map((budget) => ({ ...budget, used: used[budget.path] ?? budget.used })) };
}

const PAST = { 'usage.hours': hours, 'sessions.usage': report, 'usage.cost': cost, 'usage.status': budgets };

/** From the next load on, the page sees a month behind it. */
export async function givePast(page) {
  await page.routeWebSocket(/^ws/, (socket) => {
    const asked = new Map();
    const server = socket.connectToServer();
    socket.onMessage((message) => {
      const frame = JSON.parse(String(message));
      if (frame.type === 'req' && PAST[frame.method]) asked.set(frame.id, frame.method);
      server.send(message);
    });
    server.onMessage((message) => {
      const frame = JSON.parse(String(message));
      const method = frame.type === 'res' && frame.ok ? asked.get(frame.id) : undefined;
      socket.send(method ? JSON.stringify({ ...frame, payload: PAST[method](frame.payload) }) : message);
    });
  });
  await page.reload();
}
