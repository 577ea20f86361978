import { accumulatorName, type Call, type Comprehension, type Expression, type Literal, type Select } from "./ast.ts"

/** A macro that cannot be expanded, and which argument is at fault. */
export class MacroError extends Error {
  readonly position: number

  constructor(position: number, message: string) {
    super(message)
    this.position = position
  }
}

/** What a macro is called with. */
export interface MacroCall {
  /** Where the call is; the nodes that it expands to are there too. */
  readonly position: number
  readonly target: Expression | undefined
  readonly args: readonly Expression[]
}

/** A rewriting of calls of one name and number of arguments. */
export interface Macro {
  readonly function: string
  readonly argumentCount: number
  /** Whether it is written as a method. */
  readonly receiver: boolean
  expand(call: MacroCall): Expression
}

/** Makes nodes at the place of a macro's call. */
export class NodeFactory {
  private readonly position: number

  constructor(position: number) {
    this.position = position
  }

  literal(value: Literal["value"]): Literal {
    return { kind: "literal", position: this.position, value }
  }

  identifier(name: string): Expression {
    return { kind: "identifier", position: this.position, name }
  }

  accumulator(): Expression {
    return this.identifier(accumulatorName)
  }

  list(...elements: readonly Expression[]): Expression {
    return { kind: "list", position: this.position, elements, optional: new Set() }
  }

  map(): Expression {
    return { kind: "map", position: this.position, entries: [] }
  }

  call(name: string, ...args: readonly Expression[]): Call {
    return { kind: "call", position: this.position, function: name, args }
  }

  memberCall(name: string, target: Expression, ...args: readonly Expression[]): Call {
    return { kind: "call", position: this.position, function: name, target, args }
  }

  presenceTest({ operand, field }: Select): Select {
    return { kind: "select", position: this.position, operand, field, testOnly: true }
  }

  comprehension(parts: Omit<Comprehension, "kind" | "position">): Comprehension {
    return { kind: "comprehension", position: this.position, ...parts }
  }
}

/** What a quantifier folds with; `predicate` is its last argument. */
type Quantifier = (make: NodeFactory, predicate: Expression) => Pick<Comprehension, "initial" | "condition" | "step" | "result">

/** The three quantifiers; the macros with one and with two variables share them. */
export const quantifiers: Readonly<Record<"all" | "exists" | "existsOne", Quantifier>> = {
  all: (make, predicate) => ({
    initial: make.literal(true),
    condition: make.call("@not_strictly_false", make.accumulator()),
    step: make.call("_&&_", make.accumulator(), predicate),
    result: make.accumulator(),
  }),
  exists: (make, predicate) => ({
    initial: make.literal(false),
    condition: make.call("@not_strictly_false", make.call("!_", make.accumulator())),
    step: make.call("_||_", make.accumulator(), predicate),
    result: make.accumulator(),
  }),
  existsOne: (make, predicate) => ({
    initial: make.literal(0),
    condition: make.literal(true),
    step: make.call("_?_:_", predicate, make.call("_+_", make.accumulator(), make.literal(1)), make.accumulator()),
    result: make.call("_==_", make.accumulator(), make.literal(1)),
  }),
}

/** Returns the name of an iteration variable; fails if the argument is no simple name. */
export function variableName(argument: Expression, message: string): string {
  if (argument.kind !== "identifier") throw new MacroError(argument.position, message)
  if (argument.name === accumulatorName || argument.name === "__result__") {
    throw new MacroError(argument.position, "iteration variable overwrites accumulator variable")
  }
  return argument.name
}

function quantifierMacro(name: string, quantifier: Quantifier): Macro {
  return {
    function: name,
    argumentCount: 2,
    receiver: true,
    expand({ position, target, args }) {
      const [variable, predicate] = args as [Expression, Expression]
      const make = new NodeFactory(position)
      return make.comprehension({
        range: target as Expression,
        variable: variableName(variable, "argument must be a simple name"),
        secondVariable: undefined,
        accumulator: accumulatorName,
        ...quantifier(make, predicate),
      })
    },
  }
}

/** A fold into a list: `step` appends to it, only where the filter holds if there is one. */
function listMacro(
  name: string,
  argumentCount: number,
  parts: (args: readonly Expression[]) => { item: Expression; filter?: Expression },
): Macro {
  return {
    function: name,
    argumentCount,
    receiver: true,
    expand({ position, target, args }) {
      const variable = variableName(args[0] as Expression, "argument is not an identifier")
      const make = new NodeFactory(position)
      const { item, filter } = parts(args)
      const append = make.call("_+_", make.accumulator(), make.list(item))
      return make.comprehension({
        range: target as Expression,
        variable,
        secondVariable: undefined,
        accumulator: accumulatorName,
        initial: make.list(),
        condition: make.literal(true),
        step: filter ? make.call("_?_:_", filter, append, make.accumulator()) : append,
        result: make.accumulator(),
      })
    },
  }
}

const has: Macro = {
  function: "has",
  argumentCount: 1,
  receiver: false,
  expand({ position, args }) {
    const argument = args[0] as Expression
    if (argument.kind !== "select" || argument.testOnly) throw new MacroError(argument.position, "invalid argument to has() macro")
    return new NodeFactory(position).presenceTest(argument)
  },
}

/** The macros of the language itself. */
export const standardMacros: readonly Macro[] = [
  has,
  quantifierMacro("all", quantifiers.all),
  quantifierMacro("exists", quantifiers.exists),
  quantifierMacro("exists_one", quantifiers.existsOne),
  listMacro("map", 2, ([, item]) => ({ item: item as Expression })),
  listMacro("map", 3, ([, filter, item]) => ({ item: item as Expression, filter: filter as Expression })),
  listMacro("filter", 2, ([variable, filter]) => ({ item: variable as Expression, filter: filter as Expression })),
]
