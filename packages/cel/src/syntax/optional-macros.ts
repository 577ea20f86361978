import type { Expression } from "./ast.ts"
import { type Macro, MacroError, NodeFactory } from "./macros.ts"

/** No item ever has this name: the fold that binds a variable runs over an empty list. */
const unusedVariable = "#unused"

/**
 * `target.optMap(x, f(x))` becomes `target.hasValue() ? optional.of(f(target.value())) : optional.none()`,
 * with the value bound to the variable by a fold that makes no step. `optFlatMap` leaves `optional.of` away.
 */
function optionalMacro(name: string, wrap: (make: NodeFactory, body: Expression) => Expression): Macro {
  return {
    function: name,
    argumentCount: 2,
    receiver: true,
    expand({ position, target, args }) {
      const [variable, body] = args as [Expression, Expression]
      if (variable.kind !== "identifier") {
        throw new MacroError(variable.position, `${name}() variable name must be a simple identifier`)
      }
      const make = new NodeFactory(position)
      const bound = make.comprehension({
        range: make.list(),
        variable: unusedVariable,
        secondVariable: undefined,
        accumulator: variable.name,
        initial: make.memberCall("value", target as Expression),
        condition: make.literal(false),
        step: make.identifier(variable.name),
        result: body,
      })
      return make.call("_?_:_", make.memberCall("hasValue", target as Expression), wrap(make, bound), make.call("optional.none"))
    },
  }
}

/** The macros of optional values. */
export const optionalMacros: readonly Macro[] = [
  optionalMacro("optMap", (make, body) => make.call("optional.of", body)),
  optionalMacro("optFlatMap", (_make, body) => body),
]
