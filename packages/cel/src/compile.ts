import { check } from "./checker/checker.ts"
import { checkHomogeneity, checkLiterals } from "./checker/literals.ts"
import type { CheckedExpression } from "./environment/checked-expression.ts"
import { Environment } from "./environment/environment.ts"
import { Program } from "./program.ts"
import { parse } from "./syntax/parser.ts"
import { type Issue, Issues, Source } from "./syntax/source.ts"
import { EvaluationError, InternalError } from "./values/value.ts"

/** Why an expression is no program. */
export class CompileErrors {
  /** `issues` are faults of the text or of its types; `instantiation` is a constant that cannot be computed. */
  readonly kind: "issues" | "instantiation"
  /** The faults in the order of their places. */
  readonly issues: readonly Issue[]
  /** All of them as cel-go writes them, with the lines they are on. */
  readonly message: string

  constructor(kind: "issues" | "instantiation", issues: readonly Issue[], message: string) {
    this.kind = kind
    this.issues = issues
    this.message = message
  }

  /** All of them behind what Kubernetes says of each kind: `compilation failed: ERROR: …`. */
  get failure(): string {
    return `${this.kind === "issues" ? "compilation" : "program instantiation"} failed: ${this.message}`
  }
}

/** Parses, checks and plans an expression. */
export function compile(expression: string, environment: Environment): Program | CompileErrors {
  if (typeof expression !== "string") throw new TypeError(`compile: expected an expression as a string, found ${String(expression)}`)
  if (!(environment instanceof Environment)) throw new TypeError(`compile: expected an Environment, found ${String(environment)}`)
  const source = new Source(expression)
  const issues = new Issues(source)
  const tree = parse(source, environment, issues)
  if (!tree) return new CompileErrors("issues", issues.list(), issues.toString())
  const checked = check(tree, environment, issues)
  if (issues.size === 0) checkTyped(checked, environment, issues)
  if (issues.size > 0) return new CompileErrors("issues", issues.list(), issues.toString())
  try {
    return new Program(checked, environment)
  } catch (error) {
    if (error instanceof EvaluationError || error instanceof InternalError) return new CompileErrors("instantiation", [], error.message)
    throw error
  }
}

/** Checks what has right types: all of these faults are reported together. */
function checkTyped(checked: CheckedExpression, environment: Environment, issues: Issues): void {
  if (environment.homogeneousLiterals) checkHomogeneity(checked, issues)
  checkLiterals(checked.expression, environment.literalChecks, issues)
  for (const check of environment.checks) check(checked, issues)
}
