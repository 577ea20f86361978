import { type Log, messageOf, stringifyJson } from "@pilothouse/seams"
import { postReview, ReviewCache, type ReviewClientOptions } from "../../webhook-client/review-client.ts"
import type { Attributes, Authorizer, Decision, Identity, Rules } from "../authorizer.ts"
import { noOpinion, noRules } from "../authorizer.ts"
import { type AccessReviewSpec, accessReviewSpec, isCacheable, withoutEmpty } from "./access-review.ts"

/** Which requests a webhook decides on. */
export interface MatchConditions {
  /** Throws what went wrong in a condition where none is false. */
  matches(spec: object): boolean
}

/** One authorizer of type Webhook, as an AuthorizationConfiguration describes it. Times are milliseconds. */
export interface WebhookAuthorizerOptions extends ReviewClientOptions {
  readonly log: Log
  readonly name: string
  readonly version: "v1" | "v1beta1"
  /** How long answers are kept; 0 keeps none. */
  readonly authorizedTtl: number
  readonly unauthorizedTtl: number
  /** What a webhook that fails decides: nothing, or a refusal. */
  readonly failurePolicy: "NoOpinion" | "Deny"
  readonly conditions?: MatchConditions
}

interface ReviewStatus {
  readonly allowed?: boolean
  readonly denied?: boolean
  readonly reason?: string
}

const maxAnswers = 8192
const unlisted: Rules = { ...noRules, incomplete: true, evaluationError: "webhook authorizer does not support user rule resolution" }

/** Returns an authorizer that sends each request that its conditions match to a server as a SubjectAccessReview, and keeps the answers for a while. */
export function webhookAuthorizer(options: WebhookAuthorizerOptions): Authorizer {
  const answers = new ReviewCache<ReviewStatus>(options.clock, maxAnswers)
  return {
    authorize: (who, what) => decide(options, answers, who, what),
    rules: () => unlisted,
  }
}

function decide(
  options: WebhookAuthorizerOptions,
  answers: ReviewCache<ReviewStatus>,
  who: Identity,
  what: Attributes,
): Decision | Promise<Decision> {
  const spec = accessReviewSpec(who, what)
  try {
    if (options.conditions?.matches(spec) === false) return noOpinion
  } catch (error) {
    return failed(options, messageOf(error))
  }
  const key = stringifyJson(spec)
  const known = answers.get(key)
  return known === undefined ? asked(options, answers, { spec, key, what }) : decisionOf(known)
}

interface Question {
  readonly spec: AccessReviewSpec
  readonly key: string
  readonly what: Attributes
}

async function asked(
  options: WebhookAuthorizerOptions,
  answers: ReviewCache<ReviewStatus>,
  { spec, key, what }: Question,
): Promise<Decision> {
  const { version, authorizedTtl, unauthorizedTtl, log, name } = options
  const review = {
    kind: "SubjectAccessReview",
    apiVersion: `authorization.k8s.io/${version}`,
    metadata: {},
    spec: inVersion(spec, version),
  }
  try {
    const status = statusOf(await postReview(options, review))
    if (isCacheable(what)) answers.set(key, status, status.allowed ? authorizedTtl : unauthorizedTtl)
    return decisionOf(status)
  } catch (error) {
    log.error("an authorization webhook failed", { webhook: name, error: messageOf(error) })
    return failed(options, messageOf(error))
  }
}

/** What is no boolean allows nothing: an answer "false" must not be taken for true. */
function statusOf(answer: unknown): ReviewStatus {
  const { allowed, denied, reason } = (answer as { readonly status?: Partial<Record<keyof ReviewStatus, unknown>> | null }).status ?? {}
  for (const [field, value] of Object.entries({ allowed, denied })) {
    if (value === undefined || value === null || typeof value === "boolean") continue
    throw new Error(`expected a boolean in status.${field} of a SubjectAccessReview, found ${typeof value}`)
  }
  return { allowed: allowed === true, denied: denied === true, ...(typeof reason === "string" && { reason }) }
}

/** In v1beta1 the groups are called `group`. */
function inVersion({ groups, ...spec }: AccessReviewSpec, version: WebhookAuthorizerOptions["version"]): unknown {
  return withoutEmpty(version === "v1" ? { ...spec, groups } : { ...spec, group: groups })
}

function failed({ failurePolicy }: WebhookAuthorizerOptions, error: string): Decision {
  return { allowed: false, ...(failurePolicy === "Deny" && { denied: true }), error }
}

function decisionOf({ allowed = false, denied = false, reason = "" }: ReviewStatus): Decision {
  const why = reason === "" ? {} : { reason }
  if (allowed && denied)
    return { allowed: false, denied, ...why, error: "webhook subject access review returned both allow and deny response" }
  return { allowed, ...(denied && { denied }), ...why }
}
