import type { Library } from "../environment/environment.ts"
import { accumulatorName } from "../syntax/ast.ts"
import { type Macro, MacroError, NodeFactory } from "../syntax/macros.ts"

/** A fold over nothing: its accumulator has the name, and keeps the value. */
const bind: Macro = {
  function: "bind",
  argumentCount: 3,
  receiver: true,
  expand({ position, target, args: [name, value, expression] }) {
    if (target?.kind !== "identifier" || target.name !== "cel")
      throw new MacroError(position, "expected cel.bind, found bind of another value")
    if (name?.kind !== "identifier" || name.name === accumulatorName)
      throw new MacroError(name?.position ?? position, "cel.bind() variable names must be simple identifiers")
    const make = new NodeFactory(position)
    return make.comprehension({
      range: make.list(),
      variable: "#unused",
      secondVariable: undefined,
      accumulator: name.name,
      initial: value!,
      condition: make.literal(false),
      step: make.identifier(name.name),
      result: expression!,
    })
  },
}

/** `cel.bind(name, value, expression)`: the value is computed once and has a name in the expression. */
export const bindingsLibrary: Library = { name: "bindings", overloads: [], macros: [bind] }
