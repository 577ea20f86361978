import type { CheckedExpression, Reference } from "../environment/checked-expression.ts"
import type { Environment } from "../environment/environment.ts"
import type { Overload } from "../environment/overload.ts"
import {
  type Call,
  type Comprehension,
  type Expression,
  type ExpressionVisitor,
  type Identifier,
  type ListLiteral,
  type Literal,
  type MapLiteral,
  type ObjectLiteral,
  qualifiedName,
  type Select,
  visit,
} from "../syntax/ast.ts"
import { type Issues, maxListedIssues, noPosition } from "../syntax/source.ts"
import {
  boolType,
  dynType,
  errorType,
  intType,
  isDyn,
  isDynOrError,
  listType,
  mapType,
  objectType,
  optionalType,
  paramType,
  sameType,
  type Type,
  TypesTooLarge,
  unwrapOptional,
} from "../types/types.ts"
import { typeOf } from "../values/kinds.ts"
import { mostGeneral, replaceParameters, Substitutions } from "./assignability.ts"

/** Checks a tree against an environment; faults go to the issues. */
export function check(expression: Expression, environment: Environment, issues: Issues): CheckedExpression {
  const checker = new Checker(environment, issues)
  try {
    checker.check(expression)
    return checker.finish(expression)
  } catch (error) {
    if (!(error instanceof TypesTooLarge)) throw error
    issues.report(noPosition, error.message)
    return { expression, typeOf: () => dynType, reference: () => undefined }
  }
}

/** A name of an enclosing comprehension. */
type Scope = ReadonlyMap<string, Type>

class Checker implements ExpressionVisitor<Type> {
  private readonly environment: Environment
  private readonly issues: Issues
  private readonly types = new Map<Expression, Type>()
  private readonly references = new Map<Expression, Reference>()
  /** Nodes that need not be checked again in a scope: macros use a part of the text twice, and so double a chain of them with each link. */
  private readonly settled = new Map<Expression, Scope>()
  private readonly known = new Substitutions()
  private scope: Scope = new Map()
  private freeVariables = 0

  constructor(environment: Environment, issues: Issues) {
    this.environment = environment
    this.issues = issues
  }

  finish(expression: Expression): CheckedExpression {
    const types = new Map(Array.from(this.types, ([node, type]) => [node, this.known.substitute(type, true)]))
    return {
      expression,
      typeOf: (node) => types.get(node) ?? dynType,
      reference: (node) => this.references.get(node),
    }
  }

  /** Returns the type of a node and keeps it. */
  check(node: Expression): Type {
    const known = this.settled.get(node) === this.scope ? this.types.get(node) : undefined
    if (known) return known
    const before = this.issues.size
    const type = visit(node, this)
    this.types.set(node, type)
    if (this.issues.size === before || this.issues.size >= maxListedIssues) this.settled.set(node, this.scope)
    return type
  }

  literal({ value }: Literal): Type {
    return typeOf(value)
  }

  identifier(node: Identifier): Type {
    return this.resolveName(node, node.name) ?? this.undeclared(node, node.name)
  }

  private resolveName(node: Expression, name: string): Type | undefined {
    for (const candidate of this.environment.candidates(name)) {
      const local = this.scope.get(candidate)
      const type = local ?? this.environment.variable(candidate)?.type
      if (type) {
        this.references.set(node, { kind: "variable", name: candidate })
        return type
      }
      const named = this.environment.typeNamed(candidate)
      if (named) {
        this.references.set(node, { kind: "type", type: named.parameters[0] as Type })
        return named
      }
    }
    return undefined
  }

  private undeclared(node: Expression, name: string): Type {
    return this.fault(node, `undeclared reference to '${name}' (in container '${this.environment.container}')`)
  }

  private fault({ position }: { readonly position: number }, message: string): Type {
    this.issues.report(position, message)
    return errorType
  }

  select(node: Select): Type {
    const name = qualifiedName(node)
    const resolved = name === undefined ? undefined : this.resolveName(node, name)
    if (resolved) return resolved
    const type = this.checkField(node, node.operand, node.field, false)
    return node.testOnly ? boolType : this.known.substitute(type, false)
  }

  private checkField(node: Expression, operand: Expression, field: string, optional: boolean): Type {
    const operandType = this.known.substitute(this.check(operand), false)
    const target = unwrapOptional(operandType)
    const type = this.fieldType(node, target.type, field)
    return target.optional || optional ? optionalType(type) : type
  }

  private fieldType(node: Expression, target: Type, field: string): Type {
    if (target.kind === "map") return target.parameters[1] as Type
    if (target.kind === "object") {
      const declared = this.environment.object(target.name)
      if (!declared) return this.fault(node, `unexpected failed resolution of '${target.name}'`)
      return declared.fields.get(field)?.type ?? this.fault(node, `undefined field '${field}'`)
    }
    if (target.kind === "param") this.known.assign(dynType, target)
    else if (!isDynOrError(target)) this.fault(node, `type '${target}' does not support field selection`)
    return dynType
  }

  call(node: Call): Type {
    if (node.function === "_?._") return this.checkOptionalSelect(node)
    const { target, args } = node
    const argumentTypes = args.map((argument) => this.check(argument))
    if (!target) {
      const overloads = this.lookUpFunction(node.function)
      if (!overloads) return this.undeclared(node, node.function)
      // A function of the outermost namespace is named without its dot.
      const named = node.function.startsWith(".") ? { ...node, function: node.function.slice(1) } : node
      return this.resolveOverload(named, overloads, argumentTypes, false, node)
    }
    const prefix = qualifiedName(target)
    const qualified = prefix === undefined ? undefined : this.lookUpFunction(`${prefix}.${node.function}`)
    if (qualified) return this.resolveOverload({ ...node, function: `${prefix}.${node.function}` }, qualified, argumentTypes, false, node)
    const targetType = this.check(target)
    const overloads = this.lookUpFunction(node.function)
    if (!overloads) return this.undeclared(node, node.function)
    return this.resolveOverload(node, overloads, [targetType, ...argumentTypes], true)
  }

  private lookUpFunction(name: string): readonly Overload[] | undefined {
    for (const candidate of this.environment.candidates(name)) {
      const overloads = this.environment.overloads(candidate)
      if (overloads) return overloads
    }
    return undefined
  }

  private checkOptionalSelect(node: Call): Type {
    const [operand, field] = node.args as [Expression, Expression]
    this.types.set(field, typeOf(field.kind === "literal" ? field.value : null))
    const name = field.kind === "literal" && typeof field.value === "string" ? field.value : ""
    const overloads = this.environment.overloads("_?._") ?? []
    this.references.set(node, { kind: "overloads", overloads, qualified: false })
    return this.known.substitute(this.checkField(node, operand, name, true), false)
  }

  private resolveOverload(
    node: Call,
    overloads: readonly Overload[],
    argumentTypes: readonly Type[],
    method: boolean,
    original: Call = node,
  ): Type {
    if (node.function === "_&&_" || node.function === "_||_") return this.checkLogic(node, overloads, argumentTypes)
    const matching: Overload[] = []
    let result: Type | undefined
    for (const overload of overloads) {
      if (overload.method !== method || overload.isDynamic) continue
      const fresh = this.instantiate(overload)
      if (!this.known.assignAll(argumentTypes, fresh.parameters)) continue
      matching.push(overload)
      const own = this.known.substitute(fresh.result, false)
      if (result === undefined) result = own
      else if (!isDyn(result) && !sameType(result, own)) result = dynType
    }
    if (result === undefined) return this.noMatchingOverload(node, argumentTypes, method)
    if (argumentTypes.some(isDyn)) matching.push(...overloads.filter(({ isDynamic }) => isDynamic))
    this.references.set(original, { kind: "overloads", overloads: matching, qualified: !method && original.target !== undefined })
    return result
  }

  private checkLogic(node: Call, overloads: readonly Overload[], argumentTypes: readonly Type[]): Type {
    const wrong = argumentTypes.filter((type, index) => {
      if (this.known.assign(type, boolType)) return false
      this.mismatch(node.args[index] as Expression, boolType, type)
      return true
    })
    this.references.set(node, { kind: "overloads", overloads, qualified: false })
    return wrong.length > 0 ? errorType : boolType
  }

  private noMatchingOverload(node: Call, argumentTypes: readonly Type[], method: boolean): Type {
    const types = argumentTypes.map((type) => this.known.substitute(type, true))
    const signature = method ? `${types[0]}.(${types.slice(1).join(", ")})` : `(${types.join(", ")})`
    return this.fault(node, `found no matching overload for '${node.function}' applied to '${signature}'`)
  }

  /** Returns the signature with variables of its own, so that two calls do not share any. */
  private instantiate(overload: Overload): Pick<Overload, "parameters" | "result"> {
    if (overload.typeParameters.length === 0) return overload
    const fresh = new Map(overload.typeParameters.map((name) => [name, this.freshVariable()]))
    const own = (type: Type): Type => (type.kind === "param" ? (fresh.get(type.name) ?? type) : replaceParameters(type, own))
    return { parameters: overload.parameters.map(own), result: own(overload.result) }
  }

  list(node: ListLiteral): Type {
    let element: Type | undefined
    node.elements.forEach((item, index) => {
      element = this.join(element, this.entryType(item, node.optional.has(index)))
    })
    return listType(element ?? this.freshVariable())
  }

  map(node: MapLiteral): Type {
    let [key, value]: [Type | undefined, Type | undefined] = [undefined, undefined]
    for (const entry of node.entries) {
      key = this.join(key, this.check(entry.key))
      value = this.join(value, this.entryType(entry.value, entry.optional))
    }
    return mapType(key ?? this.freshVariable(), value ?? this.freshVariable())
  }

  /** Returns the type that an element or entry contributes; an optional one contributes what it holds. */
  private entryType(node: Expression, optional: boolean): Type {
    const type = this.check(node)
    if (!optional) return type
    const unwrapped = unwrapOptional(type)
    if (!unwrapped.optional && !isDyn(type)) this.mismatch(node, optionalType(type), type)
    return unwrapped.type
  }

  private join(previous: Type | undefined, current: Type): Type {
    if (previous === undefined) return current
    return this.known.assign(previous, current) ? mostGeneral(previous, current) : dynType
  }

  object(node: ObjectLiteral): Type {
    const declared = this.environment
      .candidates(node.typeName)
      .map((name) => this.environment.object(name))
      .find((object) => object !== undefined)
    if (!declared) {
      const resolved = this.resolveName(node, node.typeName)
      if (!resolved) return this.undeclared(node, node.typeName)
      return this.fault(node, resolved.kind === "type" ? `'${node.typeName}' is not a message type` : `'${resolved}' is not a type`)
    }
    for (const entry of node.entries) {
      const type = this.entryType(entry.value, entry.optional)
      const field = declared.fields.get(entry.field)?.type ?? this.fault(entry, `undefined field '${entry.field}'`)
      if (!this.known.assign(field, type)) {
        this.fault(entry, `expected type of field '${entry.field}' is '${field}' but provided type is '${type}'`)
      }
    }
    return objectType(declared.name)
  }

  comprehension(node: Comprehension): Type {
    const range = this.known.substitute(this.check(node.range), false)
    const accumulator = this.check(node.initial)
    const outer = this.scope
    const accumulatorScope = new Map(outer).set(node.accumulator, accumulator)
    const [first, second] = this.itemTypes(node, range)
    const inner = new Map(accumulatorScope).set(node.variable, first)
    if (node.secondVariable !== undefined) inner.set(node.secondVariable, second)
    this.scope = inner
    this.require(node.condition, this.check(node.condition), boolType)
    this.require(node.step, this.check(node.step), accumulator)
    this.scope = accumulatorScope
    const result = this.check(node.result)
    this.scope = outer
    return this.known.substitute(result, false)
  }

  /** Returns the types of a comprehension's variables: item alone, or index and item, or key and value. */
  private itemTypes({ range, secondVariable }: Comprehension, type: Type): readonly [Type, Type] {
    const two = secondVariable !== undefined
    if (type.kind === "list") {
      const item = type.parameters[0] as Type
      return two ? [intType, item] : [item, item]
    }
    if (type.kind === "map") return type.parameters as readonly [Type, Type]
    if (type.kind === "dyn" || type.kind === "error" || type.kind === "param") {
      this.known.assign(dynType, type)
      return [dynType, dynType]
    }
    this.fault(range, `expression of type '${type}' cannot be range of a comprehension (must be list, map, or dynamic)`)
    return [errorType, errorType]
  }

  private require(node: Expression, type: Type, expected: Type): void {
    if (!this.known.assign(expected, type)) this.mismatch(node, expected, type)
  }

  private mismatch(node: Expression, expected: Type, found: Type): Type {
    return this.fault(node, `expected type '${expected}' but found '${found}'`)
  }

  private freshVariable(): Type {
    return paramType(`_var${this.freeVariables++}`)
  }
}
