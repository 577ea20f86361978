import type { Draw } from "../api/draw.ts"

/** The sorts of expressions that are drawn. */
export type Sort =
  | "bool"
  | "bytes"
  | "cidr"
  | "double"
  | "duration"
  | "dyn"
  | "int"
  | "ints"
  | "ip"
  | "item"
  | "items"
  | "map"
  | "optional"
  | "quantity"
  | "semver"
  | "string"
  | "strings"
  | "timestamp"
  | "url"

/** Names that an expression can read, by their sorts. */
export type Scope = readonly { readonly text: string; readonly sort: Sort }[]

/**
 * What an expression of a sort looks like. `<int>` is an expression of that sort; `$v` is a new name, which `<bool|string>` can read as a value of
 * the second sort.
 */
const productions: Readonly<Record<Sort, readonly string[]>> = {
  bool: [
    "<int> < <int>",
    "<int> == <int>",
    "<double> >= <double>",
    "<int> > <double>",
    "<string> == <string>",
    "<string> != <string>",
    "<string> <= <string>",
    "<bool> && <bool>",
    "<bool> || <bool>",
    "!(<bool>)",
    "(<bool> ? <bool> : <bool>)",
    "<string> in <strings>",
    "<int> in <ints>",
    "<int> in [1, 2, 3]",
    "<string> in <map>",
    "<string>.startsWith(<string>)",
    "<string>.endsWith(<string>)",
    "<string>.contains(<string>)",
    "<string>.matches('^[a-c]+$')",
    "<string>.matches(<string>)",
    "<strings>.all($v, <bool|string>)",
    "<strings>.exists($v, <bool|string>)",
    "<ints>.exists_one($v, <bool|int>)",
    "<items>.all($v, <bool|item>)",
    "<map>.all($v, <bool|string>)",
    "<map>.exists($v, $w, <bool|string>)",
    "<strings>.isSorted()",
    "<ints>.isSorted()",
    "<strings> == <strings>",
    "<ints> == <ints>",
    "<items> == <items>",
    "<map> == <map>",
    "<timestamp> < <timestamp>",
    "<duration> > <duration>",
    "<bytes> == <bytes>",
    "<dyn> == <int>",
    "<dyn> == <string>",
    "type(<dyn>) == string",
    "<optional>.hasValue()",
    "<optional>.orValue('none') == <string>",
    "isQuantity(<string>)",
    "<quantity>.isLessThan(<quantity>)",
    "<quantity> == <quantity>",
    "<quantity>.isInteger()",
    "isIP(<string>)",
    "<ip> == <ip>",
    "<ip>.isLoopback()",
    "isCIDR(<string>)",
    "<cidr>.containsIP(<ip>)",
    "<cidr>.containsIP(<string>)",
    "isURL(<string>)",
    "<url> == <url>",
    "isSemver(<string>)",
    "<semver>.isGreaterThan(<semver>)",
    "sets.contains(<strings>, <strings>)",
    "sets.intersects(<ints>, <ints>)",
    "!format.dns1123Label().validate(<string>).hasValue()",
  ],
  int: [
    "<int> + <int>",
    "<int> - <int>",
    "<int> * <int>",
    "<int> / <int>",
    "<int> % <int>",
    "-<int>",
    "size(<string>)",
    "<strings>.size()",
    "<items>.size()",
    "size(<map>)",
    "int(<double>)",
    "int(<string>)",
    "<ints>.sum()",
    "<ints>.max()",
    "<ints>.min()",
    "<ints>[<int>]",
    "<ints>.indexOf(<int>)",
    "<strings>.indexOf(<string>)",
    "<string>.indexOf(<string>)",
    "<timestamp>.getFullYear()",
    "<timestamp>.getHours()",
    "<duration>.getSeconds()",
    "(<bool> ? <int> : <int>)",
    "<quantity>.asInteger()",
    "<quantity>.compareTo(<quantity>)",
    "<ip>.family()",
    "<cidr>.prefixLength()",
    "<semver>.major()",
    "int(<timestamp>)",
    "dyn(<string>)",
  ],
  double: [
    "<double> + <double>",
    "<double> * <double>",
    "<double> / <double>",
    "double(<int>)",
    "double(<string>)",
    "<quantity>.asApproximateFloat()",
  ],
  string: [
    "<string> + <string>",
    "string(<int>)",
    "string(<double>)",
    "string(<bool>)",
    "string(<timestamp>)",
    "string(<duration>)",
    "<strings>[<int>]",
    "<strings>.join(',')",
    "<strings>.join()",
    "<string>.lowerAscii()",
    "<string>.upperAscii()",
    "<string>.trim()",
    "<string>.replace(<string>, <string>)",
    "<string>.substring(<int>)",
    "<string>.substring(0, <int>)",
    "<string>.charAt(<int>)",
    "<string>.find('[a-z]+')",
    "<map>[<string>]",
    "<optional>.orValue(<string>)",
    "<optional>.value()",
    "(<bool> ? <string> : <string>)",
    "'%s-%d'.format([<string>, <int>])",
    "'%s %f %b%%'.format([<strings>, <double>, <bool>])",
    "'%x %s'.format([<bytes>, <duration>])",
    "strings.quote(<string>)",
    "dyn(<int>)",
    "<url>.getHost()",
    "<url>.getScheme()",
    "string(<ip>)",
  ],
  strings: [
    "<strings> + <strings>",
    "<strings>.map($v, <string|string>)",
    "<strings>.filter($v, <bool|string>)",
    "<ints>.map($v, <string|int>)",
    "<items>.map($v, <string|item>)",
    "<string>.split(',')",
    "<string>.split(',', <int>)",
    "<string>.findAll('[a-z]')",
    "[<string>, <string>]",
    "<map>.map($v, <string|string>)",
    "<strings>.distinct()",
    "<strings>.sort()",
    "<strings>.slice(0, 1)",
    "<strings>.reverse()",
    "dyn(<ints>)",
  ],
  ints: [
    "<ints> + <ints>",
    "<ints>.map($v, <int|int>)",
    "<ints>.filter($v, <bool|int>)",
    "[<int>, <int>]",
    "<strings>.map($v, size($v))",
    "lists.range(<int>)",
  ],
  items: ["<items>.filter($v, <bool|item>)", "<items> + <items>"],
  item: ["<items>[<int>]", "<items>[0]"],
  map: ["{<string>: <string>}", "<map>.transformMap($v, $w, <bool|string>, <string|string>)"],
  timestamp: ["<timestamp> + <duration>", "timestamp('2024-01-01T00:00:00Z')", "timestamp(<string>)"],
  duration: ["<duration> + <duration>", "<timestamp> - <timestamp>", "duration('1h')", "duration(<string>)"],
  bytes: ["bytes(<string>)", "<bytes> + <bytes>"],
  dyn: ["dyn(<int>)", "dyn(<string>)"],
  optional: ["<map>[?<string>]", "<strings>[?<int>]", "optional.of(<string>)", "optional.none()", "<strings>.first()"],
  quantity: ["quantity('100Mi')", "quantity(<string>)", "<quantity>.add(<quantity>)", "<quantity>.sub(<int>)"],
  ip: ["ip('127.0.0.1')", "ip(<string>)", "ip('::1')"],
  cidr: ["cidr('10.0.0.0/8')", "cidr(<string>)", "<cidr>.masked()"],
  url: ["url('https://example.com:80/a?b=c')", "url(<string>)"],
  semver: ["semver('1.2.3')", "semver(<string>)"],
}

const literals: Readonly<Partial<Record<Sort, readonly string[]>>> = {
  bool: ["true", "false"],
  int: ["0", "1", "2", "7", "-1", "9223372036854775807"],
  double: ["0.5", "1.0", "-2.25"],
  string: ["''", "'a'", "'abc'", "'x,y'", "'10'", "'1Gi'", "'10.0.0.1'", "'é'", '"two\\nlines"'],
  strings: ["['a', 'b']", "['abc']"],
  ints: ["[1, 2, 3]", "[7]"],
  map: ["{'a': 'b'}"],
  bytes: ["b'abc'"],
  dyn: ["dyn(1)"],
  item: ["dyn({'name': 'a'})"],
  items: ["[]"],
  optional: ["optional.of('a')", "optional.none()"],
}

const sorts = Object.keys(productions) as Sort[]
/** Mistakes of the kinds that authors of rules make. */
const mistakes = [
  "self.unknown",
  "undeclared",
  "self..a",
  "self.s.size( > 1 && [1, 2",
  "self.n == 1 || for",
  "{'a' 1}.size() == 1",
  "size()",
  "1 +",
  "self.items.all(x)",
  "has(self)",
  "'open",
  "self.s.nothing()",
  "oldSelf.s",
  "null",
  "'%d'.format([self.s]) == ''",
  "'%s %q'.format(['a', 1]) == ''",
  "'%s'.format(['a', 1]) == ''",
  "'%s%s'.format(['a']) == ''",
  "'%.2'.format([1.5]) == ''",
  "'%s'.format([[quantity('1')]]) == ''",
  "duration('later') < duration('1h')",
  "timestamp('2024') < timestamp('2024-01-01T00:00:00Z')",
  "'a'.matches('(')",
  "[1, 'a'].size() == 2",
  "{'a': 1, 'b': 'c'}.size() == 2",
]

/** Draws an expression of a sort that reads what is in scope; one in so many parts is of another sort, or a mistake. */
export class ExpressionDraw {
  private readonly draw: Draw
  private readonly mistakes: number
  private names = 0

  constructor(draw: Draw, mistakes: number) {
    this.draw = draw
    this.mistakes = mistakes
  }

  expression(sort: Sort, scope: Scope, depth: number): string {
    const { draw } = this
    if (draw.chance(this.mistakes)) return draw.chance(0.4) ? draw.pick(mistakes) : this.expression(draw.pick(sorts), scope, depth - 1)
    const known = scope.filter((name) => name.sort === sort).map(({ text }) => text)
    if (known.length > 0 && draw.chance(depth > 0 ? 0.35 : 0.9)) return draw.pick(known)
    const simple = literals[sort] ?? productions[sort].filter((text) => !text.includes("<"))
    if (depth <= 0 && simple.length > 0) return draw.pick(simple)
    return this.filled(draw.pick(productions[sort]), scope, depth - 1)
  }

  private filled(production: string, scope: Scope, depth: number): string {
    const [first, second] = [`v${this.names++}`, `w${this.names++}`]
    return production
      .replaceAll("$v", first)
      .replaceAll("$w", second)
      .replaceAll(/<(\w+)(?:\|(\w+))?>/g, (_hole, sort: Sort, bound: Sort | undefined) => {
        const inner =
          bound === undefined ? scope : [...scope, ...named(first, bound), ...(production.includes("$w") ? named(second, bound) : [])]
        return this.expression(sort, inner, depth)
      })
  }
}

function named(text: string, sort: Sort): Scope {
  const fields =
    sort === "item"
      ? ([
          { text: `${text}.name`, sort: "string" },
          { text: `${text}.weight`, sort: "int" },
        ] as const)
      : []
  return [{ text, sort }, ...fields]
}
