import { exactly, type Interval } from "../cost/interval.ts"
import { isName, type Library } from "../environment/environment.ts"
import type { Overload } from "../environment/overload.ts"
import type { Type } from "../types/types.ts"
import { coerceOrFail } from "../values/type-mismatch.ts"
import type { Value } from "../values/value.ts"

/** One signature of a function that a caller adds. */
export interface FunctionDeclaration {
  /** The name, which may have a namespace: `strings.shout`. */
  readonly name: string
  /** The type that the function is a method of: `receiver.name(…)`. */
  readonly receiver?: Type
  readonly parameters: readonly Type[]
  readonly result: Type
  /** Computes a call; a receiver is its first argument. `fail(message)` ends the evaluation with an error. */
  readonly evaluate: (...args: never[]) => Value
  /** What a call costs, in units of some 50 ns; 1 by default. */
  readonly cost?: number
}

/** Returns a library of a caller's own functions. Several declarations of one name are its overloads. */
export function functionsLibrary(name: string, functions: readonly FunctionDeclaration[]): Library {
  const overloads = functions.map(overloadOf)
  const seen = new Set<string>()
  for (const { id } of overloads) {
    if (seen.has(id)) throw new TypeError(`expected signatures that differ, found ${id} twice`)
    seen.add(id)
  }
  return { name, overloads }
}

function overloadOf(declaration: FunctionDeclaration): Overload {
  const { name, receiver, parameters, result, evaluate, cost = 1 } = declaration
  if (!isName(name)) throw new TypeError(`expected the name of a function that an expression can write, found ${JSON.stringify(name)}`)
  if (!(cost >= 0)) throw new TypeError(`expected the cost of ${name} as a number from 0 on, found ${String(cost)}`)
  const estimate: Interval = exactly(cost)
  const method = receiver !== undefined
  return {
    id: `${method ? `${receiver}.` : ""}${name}(${parameters.join(", ")})`,
    name,
    method,
    parameters: method ? [receiver, ...parameters] : parameters,
    result,
    typeParameters: [],
    isDynamic: false,
    evaluate: checked(name, result, evaluate as (...args: Value[]) => Value),
    cost: { actual: () => cost, estimate: () => ({ cost: estimate }) },
    pattern: undefined,
    example: "",
    failure: undefined,
  }
}

/** What a function returns is checked as values of variables are: nothing else of the evaluation could rely on its type. */
function checked(name: string, type: Type, evaluate: (...args: Value[]) => Value): (...args: Value[]) => Value {
  const coerce = coerceOrFail(type, `result of ${name}`)
  return (...args) => coerce(evaluate(...args))
}
