// The part of TraceQL that the boards use: { a = "x" && (b != nil || c > 0) } | select(span.a, span.b)

/** `{ condition, selected }` of a query. Throws on what it does not know. */
export function parsed(text) {
  const whole = /^\s*\{(.*)\}\s*\|\s*select\((.*)\)\s*$/s.exec(text);
  if (!whole) throw new Error(`not { … } | select(…): ${text}`);
  const words = whole[1].match(/"(?:[^"\\]|\\.)*"|&&|\|\||!=|=~|[()=<>]|[\w.:-]+/g);
  return { condition: either(words), selected: whole[2].split(',').map((name) => name.trim().replace(/^span\./, '')) };
}

function either(words) {
  let left = both(words);
  while (words[0] === '||') {
    words.shift();
    const [a, b] = [left, both(words)];
    left = (row) => a(row) || b(row);
  }
  return left;
}

function both(words) {
  let left = one(words);
  while (words[0] === '&&') {
    words.shift();
    const [a, b] = [left, one(words)];
    left = (row) => a(row) && b(row);
  }
  return left;
}

function one(words) {
  if (words[0] === '(') {
    words.shift();
    const inner = either(words);
    if (words.shift() !== ')') throw new Error('a parenthesis is not closed');
    return inner;
  }
  const [field, sign, value] = words.splice(0, 3);
  const read = field === 'resource.service.name' ? (row) => row.service : (row) => row.of[field.replace(/^span\./, '')];
  const wanted = value === 'nil' ? undefined : JSON.parse(value);
  const test = {
    '=': (said) => said !== undefined && String(said) === String(wanted),
    '!=': (said) => said !== undefined && String(said) !== String(wanted),
    '=~': (said) => said !== undefined && new RegExp(`^(?:${wanted})$`).test(said),
    '>': (said) => Number(said) > wanted,
    '<': (said) => Number(said) < wanted,
  }[sign];
  if (!test) throw new Error(`no sign: ${sign}`);
  return (row) => test(read(row));
}

export const matches = (query, row) => query.condition(row);
