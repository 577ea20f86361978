import type { CheckedExpression } from "../environment/checked-expression.ts"
import type { ExpressionCheck } from "../environment/environment.ts"
import type { Expression } from "../syntax/ast.ts"
import { childrenOf, inspectExpressions } from "../syntax/expressions-in.ts"
import type { TypeKind } from "../types/types.ts"
import { plainKinds, type Verbs } from "./format-string.ts"
import { type Clause, refusal, templateParts, unexpectedEnd, verbOf } from "./format-template.ts"

/** Returns the check of `'template'.format([…])` calls: every clause must be one and accept its argument, and there must be as many as arguments. */
export function checkTemplates(verbs: Verbs): ExpressionCheck {
  return (checked, issues) => {
    inspectExpressions(checked.expression, issues, (node) => {
      const fault = faultOf(checked, node, verbs)
      if (fault) issues.report(fault.at.position, fault.message)
      return true
    })
  }
}

/** What is wrong, and the part of the expression that upstream points at. */
interface Fault {
  readonly at: Expression
  readonly message: string
}

/** Only a template and a list that are written in the expression are known before its evaluation. */
function faultOf(checked: CheckedExpression, node: Expression, verbs: Verbs): Fault | undefined {
  if (node.kind !== "call" || node.function !== "format" || node.target?.kind !== "literal") return undefined
  const { value } = node.target
  const [list] = node.args
  if (typeof value !== "string" || node.args.length !== 1 || list?.kind !== "list") return undefined
  const { elements } = list
  let used = 0
  for (const part of templateParts(value)) {
    if (part.kind === "text") continue
    if (part.kind === "end") return { at: node, message: unexpectedEnd }
    const argument = elements[used]
    if (!argument) return { at: node, message: `index ${used} out of range` }
    used++
    const fault = clauseFault(checked, part, argument, { call: node, verbs })
    if (fault) return fault
  }
  if (elements.length <= used) return undefined
  return { at: node, message: `too many arguments supplied to string.format (expected ${used}, got ${elements.length})` }
}

function clauseFault(
  checked: CheckedExpression,
  clause: Clause,
  argument: Expression,
  { call, verbs }: { readonly call: Expression; readonly verbs: Verbs },
): Fault | undefined {
  const verb = verbOf(verbs, clause)
  if (typeof verb === "string") return { at: call, message: verb }
  const refused = clause.verb === "s" ? unprintable(checked, argument) : accepts(checked, argument, verb.accepts) ? undefined : argument
  return refused && { at: refused, message: refusal(verb, checked.typeOf(refused).name) }
}

function accepts(checked: CheckedExpression, node: Expression, kinds: readonly TypeKind[]): boolean {
  const { kind } = checked.typeOf(node)
  return kind === "dyn" || kinds.includes(kind)
}

/** Returns the first part of an argument that has no text, if there is one: literals are looked into. */
function unprintable(checked: CheckedExpression, node: Expression): Expression | undefined {
  if (!accepts(checked, node, plainKinds)) return node
  if (node.kind !== "list" && node.kind !== "map") return undefined
  for (const part of childrenOf(node)) {
    const found = unprintable(checked, part)
    if (found) return found
  }
  return undefined
}
