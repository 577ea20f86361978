import { forbidden, internalError, isStatus, StatusError } from "@pilothouse/api"
import type { RequestAuthorizations } from "@pilothouse/cel/kubernetes"
import { messageOf } from "@pilothouse/seams"
import { loadMatchConditions, matchConditionLibrary } from "../../validation/match-conditions.ts"
import { countConditions, countExclusion } from "../matching/match-condition-metrics.ts"
import { namespaceOf } from "../matching/match-request.ts"
import { type AdmissionAttributes, reinvocationOf } from "../plugin.ts"
import { beginSecondRound, endRound, requireEligible, roundsOf } from "../reinvocation-rounds.ts"
import { admissionReview, type ReviewRequest } from "./admission-review.ts"
import { CallFailure, callWebhook, Denial } from "./call-webhook.ts"
import { type AdmissionType, type Outcome, type RejectionCause, WebhookMetrics } from "./metrics.ts"
import { applyPatch } from "./patched-object.ts"
import { type VersionedObjects, versionedObjects } from "./versioned-objects.ts"
import type { IndexedWebhook } from "./webhook-index.ts"

/** Calls mutating webhooks one after the other and applies their patches to the object, in place. */
export async function mutate(hooks: readonly IndexedWebhook[], attributes: AdmissionAttributes): Promise<void> {
  const reinvocation = reinvocationOf(attributes)
  const rounds = roundsOf(reinvocation, "MutatingAdmissionWebhook")
  if (reinvocation.isReinvoke) beginSecondRound(rounds, attributes)
  for (const hook of hooks) {
    const resource = hook.matches(attributes)
    // One that the first round skipped is not called for the first time in the second.
    if (resource === undefined || (reinvocation.isReinvoke && !rounds.again.has(hook.uid))) continue
    const objects = versionedObjects(attributes, resource)
    await objects.ready()
    if (!(await meetsConditions(hook, "admit", objects.review()))) continue
    const changed = await call(hook, "admit", attributes, () => mutateOnce(hook, attributes, objects))
    if (changed) {
      requireEligible(rounds)
      reinvocation.isNeeded = true
    }
    if (hook.webhook.reinvocationPolicy === "IfNeeded") rounds.eligible.add(hook.uid)
  }
  endRound(rounds, attributes)
}

/** Whether the object was changed. */
async function mutateOnce(hook: IndexedWebhook, attributes: AdmissionAttributes, objects: VersionedObjects): Promise<boolean> {
  const { patch, patchType } = await callWebhook(hook, "admit", objects.review())
  return patch !== undefined && applyPatch(hook.webhook.name, { patch, patchType }, attributes, objects)
}

/** Calls validating webhooks at once; the refusal that comes first is the answer. */
export async function validate(hooks: readonly IndexedWebhook[], attributes: AdmissionAttributes): Promise<void> {
  const matching: { readonly hook: IndexedWebhook; readonly review: ReviewRequest }[] = []
  for (const hook of hooks) {
    const resource = hook.matches(attributes)
    if (resource === undefined) continue
    const objects = versionedObjects(attributes, resource)
    await objects.ready()
    const review = objects.review()
    if (await meetsConditions(hook, "validate", review)) matching.push({ hook, review })
  }
  const refusals: unknown[] = []
  await Promise.all(
    matching.map(({ hook, review }) =>
      call(hook, "validating", attributes, () => callWebhook(hook, "validating", review)).catch((error: unknown) => refusals.push(error)),
    ),
  )
  if (refusals.length > 0) throw refusals[0]
}

/** Counts one call, and decides what becomes of the request where it fails: by the failurePolicy it is refused, or goes on with undefined. */
async function call<T>(
  { webhook }: IndexedWebhook,
  type: AdmissionType,
  attributes: AdmissionAttributes,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const { clock, log } = attributes.server
  const metrics = new WebhookMetrics(attributes.server.admissionMetrics)
  const started = clock.elapsed()
  const { name } = webhook
  const outcome = (code: number, rejected: boolean): Outcome => {
    return { name, type, operation: attributes.operation, seconds: (clock.elapsed() - started) / 1000, rejected, code }
  }
  try {
    const result = await work()
    metrics.called(outcome(200, false))
    return result
  } catch (error) {
    const isIgnored = error instanceof CallFailure && webhook.failurePolicy === "Ignore"
    const { code, cause } = causeOf(error)
    const counted = outcome(code, !isIgnored)
    metrics.called(counted)
    if (isIgnored) {
      metrics.failedOpen({ name, type })
      log.warn("a webhook could not be called, and is ignored", { webhook: name, error: messageOf(error) })
      return undefined
    }
    metrics.rejected(counted, cause)
    throw refusalOf(error)
  }
}

function causeOf(error: unknown): { readonly code: number; readonly cause: RejectionCause } {
  if (error instanceof CallFailure) return { code: error.code, cause: "calling_webhook_error" }
  if (error instanceof Denial) return { code: error.status.code ?? 400, cause: "no_error" }
  return { code: 0, cause: "apiserver_internal_error" }
}

function refusalOf(error: unknown): unknown {
  if (error instanceof CallFailure) return internalError(error.message)
  if (error instanceof Denial) return new StatusError(error.status)
  return error instanceof StatusError || isStatus(error) ? error : internalError(messageOf(error))
}

/**
 * Whether the match conditions of a webhook let a request through. Throws a 403 where they cannot be evaluated and the failurePolicy is Fail.
 */
async function meetsConditions(hook: IndexedWebhook, type: "admit" | "validate", review: ReviewRequest): Promise<boolean> {
  const { matchConditions = [], name, failurePolicy } = hook.webhook
  if (matchConditions.length === 0) return true
  const { attributes } = review
  await loadMatchConditions(attributes.server.clock)
  const { request } = admissionReview("v1", "", review) as { readonly request: Readonly<Record<string, unknown>> }
  const { object, oldObject, uid: _uid, ...about } = request
  const outcome = await hook.conditions().match({
    object: object as object | null,
    oldObject: oldObject as object | null,
    request: about,
    authorizations: authorizationsOf(attributes),
  })
  if (outcome.kind === "matches") return true
  const of = { name, kind: "webhook", type } as const
  countConditions(outcome, of, attributes)
  if (outcome.kind === "error" && failurePolicy !== "Ignore") {
    throw forbidden(attributes.resource.descriptor, attributes.name, outcome.message)
  }
  countExclusion(of, attributes)
  return false
}

/** What the `authorizer` of an expression knows: the user of the request, and the resource that it is about. */
function authorizationsOf(attributes: AdmissionAttributes): RequestAuthorizations {
  const { server, identity, resource, subresource, name } = attributes
  const { group, plural } = resource.descriptor
  const about = { verb: "", group, version: "*", resource: plural, subresource, namespace: namespaceOf(attributes), name }
  return new (matchConditionLibrary().RequestAuthorizations)(server.authorizer, identity, about)
}
