import {
  type AuthorizationDecision,
  type AuthorizationUser,
  AuthorizerValue,
  type PathAuthorization,
  type ResourceAuthorization,
  ResourceCheck,
} from "../libraries/authorizers.ts"

/** Decides on checks of expressions. One that calls another server returns a promise. */
export interface ExpressionAuthorizer {
  authorize(
    user: AuthorizationUser,
    what: ResourceAuthorization | PathAuthorization,
  ): AuthorizationDecision | Promise<AuthorizationDecision>
}

/**
 * Thrown through an evaluation that needs a decision which is not there yet. It is no EvaluationError, so no operator absorbs it.
 * Evaluation is a pure function of its inputs: it runs again from the beginning once the decision is remembered, and costs the same.
 */
class PendingDecision {
  readonly remembered: Promise<void>

  constructor(remembered: Promise<void>) {
    this.remembered = remembered
  }
}

/** The rights of the user of one request. Every question is put to the authorizer once, however many expressions check it. */
export class RequestAuthorizations {
  /** The value of `authorizer`. */
  readonly authorizer: AuthorizerValue
  /** The value of `authorizer.requestResource`. */
  readonly requestResource: ResourceCheck
  private readonly source: ExpressionAuthorizer
  private readonly decisions = new Map<string, AuthorizationDecision>()

  constructor(source: ExpressionAuthorizer, user: AuthorizationUser, request: ResourceCheck["what"]) {
    this.source = source
    this.authorizer = new AuthorizerValue(user, (of, what) => this.decide(of, what))
    this.requestResource = new ResourceCheck(this.authorizer, request)
  }

  private decide(user: AuthorizationUser, what: ResourceAuthorization | PathAuthorization): AuthorizationDecision {
    const question = JSON.stringify([user, what])
    const remembered = this.decisions.get(question)
    if (remembered) return remembered
    const decision = this.source.authorize(user, what)
    if (decision instanceof Promise) throw new PendingDecision(decision.then((made) => void this.decisions.set(question, made)))
    this.decisions.set(question, decision)
    return decision
  }
}

/** Returns what a function returns; a promise only where it meets a decision that is not there yet. */
export function withDecisions<T>(evaluate: () => T): T | Promise<T> {
  try {
    return evaluate()
  } catch (thrown) {
    if (!(thrown instanceof PendingDecision)) throw thrown
    return thrown.remembered.then(() => withDecisions(evaluate))
  }
}
