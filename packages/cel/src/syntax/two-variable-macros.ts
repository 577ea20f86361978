import { accumulatorName, type Expression } from "./ast.ts"
import { type Macro, MacroError, NodeFactory, quantifiers, variableName } from "./macros.ts"

interface Variables {
  readonly variable: string
  readonly secondVariable: string
}

/** Returns the names of both variables: index and item of a list, key and value of a map. */
function variablesOf(args: readonly Expression[]): Variables {
  const [first, second] = args as [Expression, Expression]
  for (const argument of [first, second]) {
    if (argument.kind !== "identifier") throw new MacroError(argument.position, "argument must be a simple name")
  }
  if (first.kind === "identifier" && second.kind === "identifier" && first.name === second.name) {
    throw new MacroError(second.position, `duplicate variable name: ${first.name}`)
  }
  const message = "argument must be a simple name"
  return { variable: variableName(first, message), secondVariable: variableName(second, message) }
}

function quantifierMacro(name: string, quantifier: keyof typeof quantifiers): Macro {
  return {
    function: name,
    argumentCount: 3,
    receiver: true,
    expand({ position, target, args }) {
      const make = new NodeFactory(position)
      const parts = quantifiers[quantifier](make, args[2] as Expression)
      return make.comprehension({ range: target as Expression, ...variablesOf(args), accumulator: accumulatorName, ...parts })
    },
  }
}

/** How a transformation begins and how it adds one item. */
interface Transformation {
  initial(make: NodeFactory): Expression
  insert(make: NodeFactory, item: Expression, variables: Variables): Expression
}

const transformations: Readonly<Record<string, Transformation>> = {
  transformList: {
    initial: (make) => make.list(),
    insert: (make, item) => make.call("_+_", make.accumulator(), make.list(item)),
  },
  transformMap: {
    initial: (make) => make.map(),
    insert: (make, item, { variable }) => make.call("cel.@mapInsert", make.accumulator(), make.identifier(variable), item),
  },
  transformMapEntry: {
    initial: (make) => make.map(),
    insert: (make, item) => make.call("cel.@mapInsert", make.accumulator(), item),
  },
}

/** With four arguments the third one is a filter. */
function transformationMacro(name: string, argumentCount: 3 | 4): Macro {
  const transformation = transformations[name] as Transformation
  return {
    function: name,
    argumentCount,
    receiver: true,
    expand({ position, target, args }) {
      const variables = variablesOf(args)
      const make = new NodeFactory(position)
      const insert = transformation.insert(make, args[argumentCount - 1] as Expression, variables)
      return make.comprehension({
        range: target as Expression,
        ...variables,
        accumulator: accumulatorName,
        initial: transformation.initial(make),
        condition: make.literal(true),
        step: argumentCount === 4 ? make.call("_?_:_", args[2] as Expression, insert, make.accumulator()) : insert,
        result: make.accumulator(),
      })
    },
  }
}

/** The macros with an index or a key beside the item. */
export const twoVariableMacros: readonly Macro[] = [
  quantifierMacro("all", "all"),
  quantifierMacro("exists", "exists"),
  quantifierMacro("existsOne", "existsOne"),
  quantifierMacro("exists_one", "existsOne"),
  ...Object.keys(transformations).flatMap((name) => [transformationMacro(name, 3), transformationMacro(name, 4)]),
]
