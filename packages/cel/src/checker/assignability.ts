import { dynType, isDyn, isDynOrError, sameType, Type, TypesTooLarge } from "../types/types.ts"

/** What an attempt to assign types has set, so that it can be undone. */
interface Change {
  readonly variable: string
  readonly before: Type | undefined
}

/** Types that are looked at for one expression: variables that stand for types with variables can be as large as types. */
const maxVisits = 5_000_000

/** What is known of type variables. Invariant: between calls it holds what successful attempts found, and nothing of failed ones. */
export class Substitutions {
  private readonly known = new Map<string, Type>()
  /** Of the attempt under way. A copy of the whole for each attempt would make checking quadratic in the number of variables. */
  private changes: Change[] = []
  private visits = 0

  /** Tries to assign `from` to `to`; reports whether that holds. */
  assign(to: Type, from: Type): boolean {
    return this.assignAll([to], [from])
  }

  /** Tries to assign two lists of types pairwise. */
  assignAll(to: readonly Type[], from: readonly Type[]): boolean {
    this.changes = []
    const holds = this.unifyAll(to, from)
    if (!holds) for (const { variable, before } of this.changes.toReversed()) this.restore(variable, before)
    return holds
  }

  /** Replaces the variables of a type by what is known of them; the rest stays, or becomes dyn. */
  substitute(type: Type, unknownToDyn: boolean): Type {
    this.visit()
    if (type.kind !== "param") return replaceParameters(type, (parameter) => this.substitute(parameter, unknownToDyn))
    const found = this.known.get(type.name)
    if (found) return this.substitute(found, unknownToDyn)
    return unknownToDyn ? dynType : type
  }

  private visit(): void {
    if (++this.visits > maxVisits) throw new TypesTooLarge()
  }

  private set(variable: string, type: Type): void {
    this.changes.push({ variable, before: this.known.get(variable) })
    this.known.set(variable, type)
  }

  private restore(variable: string, before: Type | undefined): void {
    if (before) this.known.set(variable, before)
    else this.known.delete(variable)
  }

  private unifyAll(left: readonly Type[], right: readonly Type[]): boolean {
    return left.length === right.length && left.every((type, index) => this.unify(type, right[index] as Type))
  }

  private unify(left: Type, right: Type): boolean {
    this.visit()
    if (right.kind === "param") {
      const { valid, bound } = this.bind(left, right)
      if (valid) return true
      if (bound) return false
    }
    if (left.kind === "param") return this.bind(right, left).valid
    if (isDynOrError(left) || isDynOrError(right)) return true
    if (left.kind === "null") return isNullable(right)
    if (right.kind === "null") return isNullable(left)
    if (left.kind !== right.kind) return false
    if (left.kind === "type") return true
    return left.name === right.name && this.unifyAll(left.parameters, right.parameters)
  }

  /** Lets a variable stand for a type, widening what it stood for when the two agree. */
  private bind(type: Type, variable: Type): { readonly valid: boolean; readonly bound: boolean } {
    if (sameType(type, variable)) return { valid: true, bound: true }
    const known = this.known.get(variable.name)
    if (known) {
      if (sameType(type, known)) return { valid: true, bound: true }
      if (!this.unify(type, known)) return { valid: false, bound: true }
      const wider = mostGeneral(type, known)
      if (!this.occurs(variable, wider)) this.set(variable.name, wider)
      return { valid: true, bound: true }
    }
    if (this.occurs(variable, type)) return { valid: false, bound: false }
    this.set(variable.name, type)
    return { valid: true, bound: false }
  }

  /** Reports whether a variable is part of a type, which would make it infinite. */
  private occurs(variable: Type, within: Type): boolean {
    this.visit()
    if (sameType(variable, within)) return true
    if (within.kind === "param") {
      const known = this.known.get(within.name)
      return known !== undefined && this.occurs(variable, known)
    }
    return within.parameters.some((parameter) => this.occurs(variable, parameter))
  }
}

/** Returns the less specific of two assignable types: dyn before list(dyn) before list(int). */
export function mostGeneral(left: Type, right: Type): Type {
  return isEqualOrLessSpecific(left, right) ? left : right
}

/** Returns a type with other parameters. */
export function replaceParameters(type: Type, replace: (parameter: Type) => Type): Type {
  if (type.parameters.length === 0) return type
  const parameters = type.parameters.map(replace)
  // A type without variables stays the same object: environments attach behaviour to it.
  const unchanged = parameters.every((parameter, index) => parameter === type.parameters[index])
  return unchanged ? type : new Type(type.kind, type.name, parameters)
}

function isEqualOrLessSpecific(left: Type, right: Type): boolean {
  if (isDyn(left) || left.kind === "param") return true
  if (isDyn(right) || right.kind === "param" || left.kind !== right.kind) return false
  if (left.kind === "type") return true
  if (left.kind !== "opaque" && left.kind !== "list" && left.kind !== "map") return sameType(left, right)
  return (
    left.name === right.name &&
    left.parameters.length === right.parameters.length &&
    left.parameters.every((parameter, index) => isEqualOrLessSpecific(parameter, right.parameters[index] as Type))
  )
}

/** Types whose values may be null: messages and what protocol buffers wrap in one. */
function isNullable(type: Type): boolean {
  return type.kind === "null" || type.kind === "opaque" || type.kind === "object" || type.kind === "duration" || type.kind === "timestamp"
}
