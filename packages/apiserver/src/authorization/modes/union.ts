import { type Attributes, type Authorizer, aggregate, type Decision, type Identity, noOpinion, type Rules } from "../authorizer.ts"

/** Returns an authorizer that calls several in their order: the first that allows or denies decides. Without a promise where none of them returns one. */
export function unionAuthorizer(authorizers: readonly Authorizer[]): Authorizer {
  return {
    authorize: (who, what) => decideFrom(authorizers, { who, what, reasons: [], errors: [] }, 0),
    rules: (who, namespace) => allRules(authorizers.map((authorizer) => authorizer.rules(who, namespace))),
  }
}

interface Question {
  readonly who: Identity
  readonly what: Attributes
  /** Of the authorizers that had no opinion. */
  readonly reasons: string[]
  readonly errors: string[]
}

function decideFrom(authorizers: readonly Authorizer[], question: Question, first: number): Decision | Promise<Decision> {
  for (let index = first; index < authorizers.length; index++) {
    const decision = authorizers[index]!.authorize(question.who, question.what)
    if (decision instanceof Promise) return decision.then((made) => decides(made, question) ?? decideFrom(authorizers, question, index + 1))
    const decided = decides(decision, question)
    if (decided !== undefined) return decided
  }
  const reason = question.reasons.join("\n")
  if (question.errors.length > 0) return { allowed: false, reason, error: aggregate(question.errors) }
  return reason === "" ? noOpinion : { allowed: false, reason }
}

function decides(decision: Decision, { reasons, errors }: Question): Decision | undefined {
  if (decision.allowed || decision.denied === true) return decision
  if (decision.error !== undefined) errors.push(decision.error)
  if (decision.reason !== undefined && decision.reason !== "") reasons.push(decision.reason)
  return undefined
}

function allRules(lists: readonly (Rules | Promise<Rules>)[]): Rules | Promise<Rules> {
  if (lists.some((rules) => rules instanceof Promise)) return Promise.all(lists).then(joined)
  return joined(lists as readonly Rules[])
}

function joined(lists: readonly Rules[]): Rules {
  const errors = lists.flatMap(({ evaluationError }) => evaluationError ?? [])
  return {
    resourceRules: lists.flatMap(({ resourceRules }) => resourceRules),
    nonResourceRules: lists.flatMap(({ nonResourceRules }) => nonResourceRules),
    incomplete: lists.some(({ incomplete }) => incomplete),
    ...(errors.length > 0 && { evaluationError: aggregate(errors) }),
  }
}
