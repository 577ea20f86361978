import { compile } from "../../compile.ts"
import type { Environment, ObjectDeclaration } from "../../environment/environment.ts"
import { Program } from "../../program.ts"
import { boolType, listType, mapType, objectType, sameType, stringType, type Type } from "../../types/types.ts"
import type { Value } from "../../values/value.ts"
import { aggregated } from "../admission/match-conditions.ts"
import { callCostLimit, kubernetesEnvironment } from "../environment/kubernetes-environment.ts"

const texts = listType(stringType)
const selector = { rawSelector: stringType, requirements: listType(objectType("kubernetes.SelectorRequirement")) }

/** The type of `request`: the spec of a SubjectAccessReview. */
const reviewTypes: readonly ObjectDeclaration[] = Object.entries({
  SelectorRequirement: { key: stringType, operator: stringType, values: texts },
  FieldSelectorAttributes: selector,
  LabelSelectorAttributes: selector,
  ResourceAttributes: {
    ...Object.fromEntries(["namespace", "verb", "group", "version", "resource", "subresource", "name"].map((field) => [field, stringType])),
    fieldSelector: objectType("kubernetes.FieldSelectorAttributes"),
    labelSelector: objectType("kubernetes.LabelSelectorAttributes"),
  },
  NonResourceAttributes: { path: stringType, verb: stringType },
  SubjectAccessReviewSpec: {
    resourceAttributes: objectType("kubernetes.ResourceAttributes"),
    nonResourceAttributes: objectType("kubernetes.NonResourceAttributes"),
    user: stringType,
    groups: texts,
    extra: mapType(stringType, texts),
    uid: stringType,
  },
} satisfies Readonly<Record<string, Readonly<Record<string, Type>>>>).map(([name, fields]) => ({
  name: `kubernetes.${name}`,
  fields: new Map(Object.entries(fields).map(([field, type]) => [field, { type }])),
}))

function reviewEnvironment(): Environment {
  return kubernetesEnvironment().extend({
    trustsValues: true,
    objectTypes: reviewTypes,
    variables: { request: objectType("kubernetes.SubjectAccessReviewSpec") },
  })
}

/** The match conditions of an authorization webhook: compiled once, evaluated for each SubjectAccessReview. */
export class ReviewConditions {
  private readonly compiled: readonly { readonly expression: string; readonly program: Program | string }[]

  constructor(expressions: readonly string[]) {
    const environment = reviewEnvironment()
    this.compiled = expressions.map((expression) => ({ expression, program: programOf(expression, environment) }))
  }

  /** Why expressions do not compile, by their index. */
  get errors(): readonly (string | undefined)[] {
    return this.compiled.map(({ program }) => (typeof program === "string" ? program : undefined))
  }

  /** Reports whether the webhook is called. A condition that is false decides, whatever went wrong in others; otherwise errors are thrown as one. */
  matches(spec: object): boolean {
    const errors: string[] = []
    for (const { expression, program } of this.compiled) {
      const outcome = typeof program === "string" ? { kind: "error" as const, message: program } : evaluated(program, spec)
      if (outcome.kind === "value" && outcome.value === false) return false
      if (outcome.kind !== "value") errors.push(`cel evaluation error: expression '${expression}' resulted in error: ${outcome.message}`)
    }
    if (errors.length === 0) return true
    throw new Error(aggregated(errors))
  }
}

function evaluated(program: Program, spec: object) {
  return program.evaluate({ request: spec as unknown as Value }, { costLimit: callCostLimit })
}

function programOf(expression: string, environment: Environment): Program | string {
  const program = compile(expression, environment)
  if (!(program instanceof Program)) return program.failure
  return sameType(program.outputType, boolType) ? program : `must evaluate to bool but got ${program.outputType.name}`
}
