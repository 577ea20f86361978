import type { CheckedExpression } from "../environment/checked-expression.ts"
import type { LiteralCheck } from "../environment/environment.ts"
import type { Expression, ListLiteral, MapLiteral } from "../syntax/ast.ts"
import { inspectExpressions } from "../syntax/expressions-in.ts"
import type { Issues } from "../syntax/source.ts"
import { sameType, type Type, unwrapOptional } from "../types/types.ts"

/** Reports literals that a function would refuse in every evaluation: `duration('1 hour')`. */
export function checkLiterals(tree: Expression, checks: readonly LiteralCheck[], issues: Issues): void {
  if (checks.length === 0) return
  const byFunction = new Map(checks.map((check) => [check.function, check]))
  inspectExpressions(tree, issues, (node) => {
    const check = node.kind === "call" ? byFunction.get(node.function) : undefined
    const argument = node.kind === "call" ? node.args[0] : undefined
    if (check && argument?.kind === "literal" && !check.isValid(argument.value)) {
      issues.report(argument.position, `invalid ${check.function} argument`)
    }
    return true
  })
}

/** The function whose arguments may be of any types. */
const exemptFunction = "format"

/** Reports list and map literals whose parts differ in type. */
export function checkHomogeneity(checked: CheckedExpression, issues: Issues): void {
  inspectExpressions(checked.expression, issues, (node) => {
    if (node.kind === "call" && node.function === exemptFunction) return false
    if (node.kind === "list") checkElements(checked, node, issues)
    if (node.kind === "map") checkEntries(checked, node, issues)
    return true
  })
}

/** The first element that differs is reported. */
function checkElements(checked: CheckedExpression, { elements, optional }: ListLiteral, issues: Issues): void {
  const types = elements.map((element, index) => partType(checked, element, optional.has(index)))
  const index = types.findIndex((type) => !sameType(type, types[0] as Type))
  if (index >= 0) report(elements[index] as Expression, types[0] as Type, types[index] as Type, issues)
}

/** Every key and every value that differs is reported. */
function checkEntries(checked: CheckedExpression, { entries: [first, ...rest] }: MapLiteral, issues: Issues): void {
  if (!first) return
  const [keyType, valueType] = [checked.typeOf(first.key), partType(checked, first.value, first.optional)]
  for (const { key, value, optional } of rest) {
    const [own, ownValue] = [checked.typeOf(key), partType(checked, value, optional)]
    if (!sameType(own, keyType)) report(key, keyType, own, issues)
    if (!sameType(ownValue, valueType)) report(value, valueType, ownValue, issues)
  }
}

function partType(checked: CheckedExpression, node: Expression, optional: boolean): Type {
  const type = checked.typeOf(node)
  return optional ? unwrapOptional(type).type : type
}

function report({ position }: Expression, expected: Type, found: Type, issues: Issues): void {
  issues.report(position, `expected type '${expected}' but found '${found}'`)
}
