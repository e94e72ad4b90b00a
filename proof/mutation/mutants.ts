/**
 * The mutants of one source file, and the file with all of them built in: at each place a switch asks at run time
 * whether its mutant is the one that is alive. Thus one load of the code serves them all. The operators are those of
 * Stryker (https://stryker-mutator.io/docs/mutation-testing-elements/supported-mutators/), so that shares can be
 * compared.
 */
import { parseSync } from 'oxc-parser';

export interface Mutant {
  file: string;
  /** From 1. */
  line: number;
  /** The line as it stands, to be found again when others move. */
  lineText: string;
  operator: string;
  from: string;
  to: string;
}

/** The parts of a file that are not mutated: values of these properties, calls of these functions. */
export interface LeftOut {
  properties?: readonly string[];
  calls?: readonly string[];
}

interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: any;
}

/** A replacement within its host, the smallest piece of code that a switch can be put around. */
interface Edit {
  operator: string;
  start: number;
  end: number;
  text: string;
  host: Node;
}

/** The name of the switch in the built-in code. */
export const SWITCH = '__mutant';

/** `first` is the number of the first mutant; the others follow it. */
export function mutate(
  file: string,
  source: string,
  leftOut: LeftOut,
  first: number,
): { mutants: Mutant[]; code: string } {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  const edits = editsOf(program, source, leftOut);
  const lines = source.split('\n');
  const mutants = edits.map(({ operator, start, end, text }): Mutant => {
    const line = source.slice(0, start).split('\n').length;
    const lineText = lines[line - 1]?.trim() ?? '';
    return { file, line, lineText, operator, from: source.slice(start, end), to: text };
  });
  return { mutants, code: build(source, edits, first) };
}

// ---------------------------------------------------------------------------------------------------------------------
// Building in

interface Host {
  node: Node;
  edits: { number: number; edit: Edit }[];
}

function build(source: string, edits: readonly Edit[], first: number): string {
  const hosts = new Map<string, Host>();
  for (const [i, edit] of edits.entries()) {
    const { start, end } = edit.host;
    const host = hosts.get(`${start}:${end}`) ?? { node: edit.host, edits: [] };
    hosts.set(`${start}:${end}`, host);
    host.edits.push({ number: first + i, edit });
  }
  const inOrder = [...hosts.values()].toSorted((a, b) => a.node.start - b.node.start || b.node.end - a.node.end);
  let next = 0;
  const render = (from: number, to: number): string => {
    let text = '';
    let at = from;
    for (let host = inOrder[next]; host !== undefined && host.node.end <= to; host = inOrder[next]) {
      next++;
      const { start, end, type } = host.node;
      text += source.slice(at, start);
      if (type === 'BlockStatement') {
        text += `{if(!${SWITCH}(${host.edits[0]?.number})){${render(start + 1, end - 1)}}}`;
      } else if (type === 'SwitchCase') {
        const body = host.node.consequent[0].start as number;
        text += `${render(start, body)}if(!${SWITCH}(${host.edits[0]?.number})){${render(body, end)}}`;
      } else {
        const mutated = host.edits.map(({ number, edit }) => {
          const whole = source.slice(start, edit.start) + edit.text + source.slice(edit.end, end);
          return `${SWITCH}(${number})?(${whole}):`;
        });
        text += `(${mutated.join('')}(${render(start, end)}))`;
      }
      at = end;
    }
    return text + source.slice(at, to);
  };
  return render(0, source.length);
}

// ---------------------------------------------------------------------------------------------------------------------
// Finding

const OPPOSITES: Record<string, readonly string[]> = {
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '==': ['!='],
  '!=': ['=='],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
  '+=': ['-='],
  '-=': ['+='],
  '*=': ['/='],
  '/=': ['*='],
  '%=': ['*='],
  '<<': ['>>'],
  '>>': ['<<'],
  '&': ['|'],
  '|': ['&'],
  '&&=': ['||='],
  '||=': ['&&='],
  '??=': ['&&='],
  '++': ['--'],
  '--': ['++'],
};

/** null: the call is replaced by what it is called on. */
const METHODS: Record<string, string | null> = {
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  toLowerCase: 'toUpperCase',
  toUpperCase: 'toLowerCase',
  trimStart: 'trimEnd',
  trimEnd: 'trimStart',
  min: 'max',
  max: 'min',
  trim: null,
  slice: null,
  substring: null,
  sort: null,
  toSorted: null,
  reverse: null,
  toReversed: null,
  filter: null,
  charAt: null,
};

const BOOLEAN = new Set(['===', '!==', '==', '!=', '<', '<=', '>', '>=', '&&', '||']);

function editsOf(program: Node, source: string, leftOut: LeftOut): Edit[] {
  const edits: Edit[] = [];

  function visit(node: Node, parents: readonly Node[]): void {
    if (isLeftOut(node, leftOut)) return;
    add(node, parents);
    for (const [key, child] of Object.entries(node)) {
      if (isCode(node, key)) {
        for (const one of [child].flat()) if (typeof one?.type === 'string') visit(one, [...parents, node]);
      }
    }
  }

  function add(node: Node, parents: readonly Node[]): void {
    const parent = parents.at(-1) as Node;
    const text = (from: Node): string => source.slice(from.start, from.end);
    const put = (operator: string, at: { start: number; end: number }, replacement: string): void => {
      edits.push({ operator, start: at.start, end: at.end, text: replacement, host: hostOf(node, parents) });
    };
    /** The sign between two operands (comments are not expected there). */
    const sign = (left: Node, right: Node, of: string): { start: number; end: number } => {
      const start = source.slice(left.end, right.start).indexOf(of) + left.end;
      return { start, end: start + of.length };
    };
    switch (node.type) {
      case 'BinaryExpression':
      case 'LogicalExpression':
        for (const other of OPPOSITES[node.operator] ?? []) {
          // Of these, one does not bind like the other.
          if (/[&|?]/.test(other)) put('operator', node, `(${text(node.left)}) ${other} (${text(node.right)})`);
          else put('operator', sign(node.left, node.right, node.operator), other);
        }
        if (BOOLEAN.has(node.operator) && !isTest(node, parent)) {
          put('condition', node, 'true');
          put('condition', node, 'false');
        }
        break;
      case 'AssignmentExpression':
        for (const other of OPPOSITES[node.operator] ?? []) {
          put('operator', sign(node.left, node.right, node.operator), other);
        }
        break;
      case 'UpdateExpression': {
        const start = node.prefix ? node.start : node.end - 2;
        put('operator', { start, end: start + 2 }, OPPOSITES[node.operator]?.[0] as string);
        break;
      }
      case 'UnaryExpression':
        if (node.operator === '!' || node.operator === '~') put('unary', node, text(node.argument));
        if (node.operator === '-' || node.operator === '+') {
          put('unary', { start: node.start, end: node.start + 1 }, node.operator === '-' ? '+' : '-');
        }
        break;
      case 'Literal':
        if (typeof node.value === 'boolean') put('boolean', node, String(!node.value));
        else if (typeof node.value === 'string') put('string', node, node.value === '' ? "'mutant'" : "''");
        else if (node.regex !== undefined)
          for (const one of regexes(node.regex.pattern)) put('regex', node, `/${one}/${node.regex.flags}`);
        break;
      case 'TemplateLiteral':
        put('string', node, '``');
        break;
      case 'ArrayExpression':
        put('array', node, node.elements.length === 0 ? "['mutant']" : '[]');
        break;
      case 'ObjectExpression':
        if (node.properties.length > 0) put('object', node, '({})');
        break;
      case 'ArrowFunctionExpression':
        if (node.body.type !== 'BlockStatement' && text(node.body) !== 'undefined') {
          edits.push({
            operator: 'arrow',
            start: node.body.start,
            end: node.body.end,
            text: 'undefined',
            host: node.body,
          });
        }
        break;
      case 'BlockStatement':
        if (node.body.length > 0) put('block', node, '{}');
        break;
      case 'SwitchCase':
        if (node.consequent.length > 0) put('case', node, '');
        break;
      case 'ChainExpression':
        for (const at of optionals(node.expression, source)) put('chain', at, at.called ? '' : '.');
        break;
      case 'CallExpression': {
        const { callee } = node;
        const name = callee.type === 'MemberExpression' && !callee.computed ? (callee.property.name as string) : '';
        if (!Object.hasOwn(METHODS, name)) break;
        const other = METHODS[name];
        if (other === null) put('method', node, text(callee.object));
        else put('method', callee.property, other as string);
        break;
      }
    }
    for (const test of testsOf(node)) {
      const loop = node.type !== 'IfStatement' && node.type !== 'ConditionalExpression';
      for (const value of loop ? ['false'] : ['true', 'false']) {
        if (text(test) !== value) {
          edits.push({
            operator: 'condition',
            start: test.start,
            end: test.end,
            text: value,
            host: hostOf(test, [...parents, node]),
          });
        }
      }
    }
  }

  visit(program, []);
  return edits;
}

function isLeftOut(node: Node, { properties = [], calls = [] }: LeftOut): boolean {
  if (node.type === 'ImportDeclaration' || /^Export(All|Specifier)/.test(node.type)) return true;
  if (node.type === 'Property') return properties.includes(node.key.name ?? node.key.value);
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return false;
  const { callee } = node;
  const name = callee.type === 'MemberExpression' ? `${callee.object.name}.${callee.property.name}` : callee.name;
  return calls.includes(name) || calls.includes(`${callee.object?.name}.*`);
}

/** In these nodes only the expression is code, the rest is type. */
const TYPED = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression']);

function isCode(node: Node, key: string): boolean {
  if (TYPED.has(node.type)) return key === 'expression';
  if (node.type.startsWith('TS')) return false;
  if (/type/i.test(key) || key === 'superTypeArguments' || key === 'implements') return false;
  if (node.type === 'Property' || node.type === 'MethodDefinition' || node.type === 'PropertyDefinition') {
    return key === 'value' || (key === 'key' && node.computed === true);
  }
  if (node.type === 'TemplateLiteral') return key === 'expressions';
  return true;
}

const testsOf = (node: Node): Node[] =>
  ['IfStatement', 'ConditionalExpression', 'WhileStatement', 'DoWhileStatement', 'ForStatement'].includes(node.type) &&
  node.test
    ? [node.test]
    : [];

const isTest = (node: Node, parent: Node): boolean => testsOf(parent).includes(node);

/** A piece of a chain stands and falls with the whole chain: a switch goes around that. */
function hostOf(node: Node, parents: readonly Node[]): Node {
  let host = node;
  for (const parent of parents.toReversed()) {
    const inChain =
      (parent.type === 'MemberExpression' && parent.object === host) ||
      (parent.type === 'CallExpression' && parent.callee === host) ||
      parent.type === 'TSNonNullExpression' ||
      parent.type === 'ChainExpression';
    if (!inChain) break;
    host = parent;
  }
  return host;
}

function optionals(node: Node, source: string): { start: number; end: number; called: boolean }[] {
  const inner =
    node.type === 'MemberExpression' ? node.object : node.type === 'CallExpression' ? node.callee : node.expression;
  if (inner === undefined || node.type === 'ChainExpression' || node.type === 'ParenthesizedExpression') return [];
  const found = optionals(inner, source);
  if (node.optional !== true) return found;
  const start = inner.end + source.slice(inner.end).indexOf('?.');
  return [...found, { start, end: start + 2, called: node.type === 'CallExpression' || node.computed === true }];
}

/** Anchors, quantifiers, classes. */
function regexes(pattern: string): string[] {
  const found: string[] = [];
  if (pattern.startsWith('^')) found.push(pattern.slice(1));
  if (pattern.endsWith('$')) found.push(pattern.slice(0, -1));
  for (const { index, 0: sign } of pattern.matchAll(/(?<!\\)[+*](?!\?)/g)) {
    found.push(pattern.slice(0, index) + pattern.slice(index + sign.length));
  }
  for (const { index, 0: sign } of pattern.matchAll(/\[\^?/g)) {
    if (pattern[index - 1] !== '\\')
      found.push(pattern.slice(0, index) + (sign === '[' ? '[^' : '[') + pattern.slice(index + sign.length));
  }
  for (const { index, 0: sign } of pattern.matchAll(/\\[dDsSwW]/g)) {
    const letter = sign[1] as string;
    const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
    found.push(`${pattern.slice(0, index)}\\${other}${pattern.slice(index + 2)}`);
  }
  return found;
}
