import type { LiteralCheck } from "../environment/environment.ts"
import type { Expression } from "../syntax/ast.ts"
import { expressionsIn } from "../syntax/expressions-in.ts"
import type { Issues } from "../syntax/source.ts"

/** Reports literals that a function would refuse in every evaluation: `duration('1 hour')`. */
export function checkLiterals(tree: Expression, checks: readonly LiteralCheck[], issues: Issues): void {
  if (checks.length === 0) return
  const byFunction = new Map(checks.map((check) => [check.function, check]))
  for (const node of expressionsIn(tree)) {
    const check = node.kind === "call" ? byFunction.get(node.function) : undefined
    const argument = node.kind === "call" ? node.args[0] : undefined
    if (!check || argument?.kind !== "literal" || check.isValid(argument.value)) continue
    issues.report(argument.position, `invalid ${check.function} argument`)
  }
}
