// Asks Prometheus and Jaeger what a panel's targets ask, as Grafana's data sources do.
import { matches, parsed } from './traceql.mjs';

const RATE_AT_LEAST_S = 20;
const POINTS = 150;

async function json(url) {
  const answer = await fetch(url);
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error ?? `${answer.status} of ${url}`);
  return body;
}

/** A query with the choices above the board, and Grafana's own variables, filled in. */
export function filledIn(text, chosen, seconds, step) {
  const own = { __range: `${seconds}s`, __interval: `${step}s`, __rate_interval: `${Math.max(RATE_AT_LEAST_S, step + 5)}s` };
  return text.replace(/\$\{?(\w+)\}?/g, (whole, name) => own[name] ?? chosen[name] ?? whole);
}

async function numbers(target, { prometheus, from, to, chosen }) {
  const seconds = Math.round((to - from) / 1000);
  const step = Math.max(5, Math.ceil(seconds / POINTS));
  const query = filledIn(target.expr, chosen, seconds, step);
  const asked = target.range
    ? `query_range?${new URLSearchParams({ query, start: from / 1000, end: to / 1000, step })}`
    : `query?${new URLSearchParams({ query, time: to / 1000 })}`;
  return { target, series: (await json(`${prometheus}/api/v1/${asked}`)).data.result };
}

async function traces({ jaeger, from, to }, service, tags = undefined) {
  const asked = new URLSearchParams({ service, start: from * 1000, end: to * 1000, limit: 500, ...(tags ? { tags: JSON.stringify(tags) } : {}) });
  return (await json(`${jaeger}/api/traces?${asked}`)).data ?? [];
}

const columns = (rows, shape) => Object.entries(shape).map(([name, [type, read]]) => ({ name, type, values: rows.map(read) }));

async function search(target, where) {
  const tags = Object.fromEntries(filledIn(target.tags, where.chosen, 1, 1).split(' ').map((pair) => pair.split(/=(.*)/s).slice(0, 2)));
  const found = await traces(where, where.chosen.jaeger_service, tags);
  const begin = (trace) => trace.spans.reduce((a, b) => (a.startTime <= b.startTime ? a : b));
  return {
    target,
    columns: columns(found, {
      traceID: ['string', (trace) => trace.traceID],
      traceName: ['string', (trace) => `${trace.processes[begin(trace).processID].serviceName}: ${begin(trace).operationName}`],
      startTime: ['time', (trace) => begin(trace).startTime / 1000],
      duration: ['number', (trace) => Math.max(...trace.spans.map((span) => span.startTime + span.duration)) - begin(trace).startTime],
    }),
  };
}

/** A row per span, as Tempo gives it; worked out from what Jaeger has. */
async function spans(target, where) {
  const query = parsed(filledIn(target.query, where.chosen, 1, 1));
  const services = (await json(`${where.jaeger}/api/services`)).data.filter((name) => name !== 'jaeger');
  const all = (await Promise.all(services.map((service) => traces(where, service)))).flat();
  const rows = all
    .flatMap((trace) => trace.spans.map((span) => ({ span, of: Object.fromEntries(span.tags.map(({ key, value }) => [key, value])), service: trace.processes[span.processID].serviceName })))
    .filter((row) => matches(query, row))
    .sort((a, b) => b.span.startTime - a.span.startTime)
    .slice(0, target.limit);
  const there = query.selected.filter((name) => rows.some((row) => row.of[name] !== undefined));
  return {
    target,
    columns: columns(rows, {
      spanID: ['string', (row) => row.span.spanID],
      time: ['time', (row) => row.span.startTime / 1000],
      ...Object.fromEntries(there.map((name) => [name, ['string', (row) => String(row.of[name] ?? '')]])),
      duration: ['number', (row) => row.span.duration * 1000],
    }),
  };
}

/** The answer to one target: series, or the columns of a table. Throws what the backend says. */
export function asked(target, where) {
  switch (target.datasource.type) {
    case 'prometheus':
      return numbers(target, where);
    case 'jaeger':
      return search(target, where);
    default:
      return spans(target, where);
  }
}
