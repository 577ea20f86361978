import { checkDns1123Subdomain, type FieldError, fieldError, formatFieldErrors } from "@pilothouse/api"
import { type Clock, formatDuration, type Log, milliseconds, PilothouseError, type Random } from "@pilothouse/seams"
import type { ReviewServer } from "../../webhook-client/review-client.ts"
import { aggregate } from "../authorizer.ts"
import { type AuthorizationMode, authorizationModes } from "../mode-names.ts"
import { checkConfigurationShape } from "./configuration-shape.ts"
import type { MatchConditions, WebhookAuthorizerOptions } from "./webhook-authorizer.ts"

/** What webhooks of a configuration need. */
export interface ConfigurationSeams {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Returns how the server of a kubeconfig file is reached, or rejects where the file says nothing of the kind. */
  connect(kubeConfigFile: string): Promise<ReviewServer>
}

/** One authorizer in its place: a mode, or a webhook. */
export type ConfiguredAuthorizer = AuthorizationMode | WebhookAuthorizerOptions

interface Webhook {
  readonly authorizedTTL?: string
  readonly cacheAuthorizedRequests?: boolean
  readonly unauthorizedTTL?: string
  readonly cacheUnauthorizedRequests?: boolean
  readonly timeout?: string
  readonly subjectAccessReviewVersion?: string
  readonly matchConditionSubjectAccessReviewVersion?: string
  readonly failurePolicy?: string
  readonly connectionInfo?: { readonly type?: string; readonly kubeConfigFile?: string }
  readonly matchConditions?: readonly { readonly expression?: string }[]
}

interface Entry {
  readonly type?: string
  readonly name?: string
  readonly webhook?: Webhook
}

const versions = ["v1", "v1beta1", "v1alpha1"].map((version) => `apiserver.config.k8s.io/${version}`)
const maxConditions = 64
const longestTimeout = 30_000

/** Returns the authorizers of an AuthorizationConfiguration in their order. Throws all that is wrong with it, in upstream's words. */
export async function configuredAuthorizers(value: unknown, seams: ConfigurationSeams): Promise<readonly ConfiguredAuthorizer[]> {
  const { kind, apiVersion, authorizers = [] } = (value ?? {}) as Partial<Record<"kind" | "apiVersion", string>> & { authorizers?: Entry[] }
  if (kind !== "AuthorizationConfiguration" || !versions.includes(apiVersion ?? "")) {
    const found = `${apiVersion ?? "no apiVersion"}, Kind=${kind ?? "none"}`
    throw new PilothouseError("INVALID", `expected an AuthorizationConfiguration of ${versions[0]}, found ${found}`)
  }
  checkConfigurationShape(value)
  const conditions = await Promise.all(authorizers.map(({ webhook }) => compiled(webhook?.matchConditions ?? [])))
  const errors = configurationErrors(authorizers, conditions)
  if (errors.length > 0) throw new PilothouseError("INVALID", formatFieldErrors(errors))
  const misnamed = authorizers.flatMap(({ type = "", name = "" }) =>
    type === "Webhook" || name === type.toLowerCase() ? [] : [nameFault(type, name)],
  )
  if (misnamed.length > 0) throw new PilothouseError("INVALID", aggregate(misnamed))
  return Promise.all(
    authorizers.map(({ type, name = "", webhook }, index) =>
      webhook === undefined ? (type as AuthorizationMode) : configuredWebhook(name, webhook, conditions[index], seams),
    ),
  )
}

/** A mode has one name, the one that flags give it. */
function nameFault(type: string, name: string): string {
  return `expected name ${type.toLowerCase()} for authorizer ${type} instead of ${name}`
}

type Conditions = (MatchConditions & { readonly errors: readonly (string | undefined)[] }) | undefined

/** The language is loaded with the first condition. */
async function compiled(conditions: NonNullable<Webhook["matchConditions"]>): Promise<Conditions> {
  if (conditions.length === 0 || conditions.length > maxConditions) return undefined
  const { ReviewConditions } = await import("@pilothouse/cel/kubernetes")
  return new ReviewConditions(conditions.map(({ expression = "" }) => expression))
}

async function configuredWebhook(
  name: string,
  webhook: Webhook,
  conditions: Conditions,
  seams: ConfigurationSeams,
): Promise<WebhookAuthorizerOptions> {
  const { cacheAuthorizedRequests = true, cacheUnauthorizedRequests = true, authorizedTTL = "5m", unauthorizedTTL = "30s" } = webhook
  const { clock, random, log } = seams
  return {
    clock,
    random,
    log,
    name,
    server: await seams.connect(webhook.connectionInfo?.kubeConfigFile ?? ""),
    version: webhook.subjectAccessReviewVersion as WebhookAuthorizerOptions["version"],
    timeout: milliseconds(webhook.timeout ?? ""),
    authorizedTtl: cacheAuthorizedRequests ? milliseconds(authorizedTTL) : 0,
    unauthorizedTtl: cacheUnauthorizedRequests ? milliseconds(unauthorizedTTL) : 0,
    failurePolicy: webhook.failurePolicy as WebhookAuthorizerOptions["failurePolicy"],
    ...(conditions && { conditions }),
  }
}

const types: readonly string[] = [...authorizationModes, "Webhook"]

function configurationErrors(authorizers: readonly Entry[], conditions: readonly Conditions[]): readonly FieldError[] {
  if (authorizers.length === 0) return [fieldError.required("authorizers", "at least one authorization mode must be defined")]
  const seen = { types: new Set<string>(), names: new Set<string>() }
  return authorizers.flatMap((entry, index) => entryErrors(`authorizers[${index}]`, entry, conditions[index], seen))
}

interface Seen {
  readonly types: Set<string>
  readonly names: Set<string>
}

function entryErrors(path: string, { type = "", name = "", webhook }: Entry, conditions: Conditions, seen: Seen): readonly FieldError[] {
  if (type === "") return [fieldError.required(`${path}.type`, "")]
  if (!types.includes(type)) return [fieldError.notSupported(`${path}.type`, type, types)]
  if (type !== "Webhook" && seen.types.has(type)) return [fieldError.duplicate(`${path}.type`, type)]
  seen.types.add(type)
  const nameErrors = nameFaults(`${path}.name`, name, seen.names)
  seen.names.add(name)
  if (type !== "Webhook") {
    if (webhook === undefined) return nameErrors
    return [...nameErrors, fieldError.invalid(`${path}.webhook`, "non-null", "may only be specified when type=Webhook")]
  }
  if (webhook === undefined) return [...nameErrors, fieldError.required(`${path}.webhook`, "required when type=Webhook")]
  return [...nameErrors, ...webhookErrors(path, webhook), ...conditionErrors(`${path}.matchConditions`, webhook, conditions)]
}

function nameFaults(path: string, name: string, names: ReadonlySet<string>): readonly FieldError[] {
  if (name === "") return [fieldError.required(path, "")]
  if (names.has(name)) return [fieldError.duplicate(path, name)]
  const faults = checkDns1123Subdomain(name)
  return faults.length === 0 ? [] : [fieldError.invalid(path, name, `authorizer name is invalid: ${faults.join(", ")}`)]
}

function webhookErrors(path: string, webhook: Webhook): readonly FieldError[] {
  const { timeout = "", authorizedTTL = "5m", unauthorizedTTL = "30s", subjectAccessReviewVersion = "", failurePolicy = "" } = webhook
  const { matchConditionSubjectAccessReviewVersion: conditionVersion = "", matchConditions = [] } = webhook
  const needsVersion = conditionVersion === "" && matchConditions.length > 0
  return [
    ...timeErrors(`${path}.timeout`, timeout, longestTimeout),
    ...timeErrors(`${path}.authorizedTTL`, authorizedTTL),
    ...timeErrors(`${path}.unauthorizedTTL`, unauthorizedTTL),
    ...choiceErrors(`${path}.subjectAccessReviewVersion`, subjectAccessReviewVersion, ["v1", "v1beta1"]),
    ...(needsVersion
      ? [fieldError.required(`${path}.matchConditionSubjectAccessReviewVersion`, "required if match conditions are specified")]
      : conditionVersion === ""
        ? []
        : choiceErrors(`${path}.matchConditionSubjectAccessReviewVersion`, conditionVersion, ["v1"])),
    ...choiceErrors(`${path}.failurePolicy`, failurePolicy, ["NoOpinion", "Deny"]),
    ...connectionErrors(`${path}.connectionInfo`, webhook.connectionInfo ?? {}),
  ]
}

function choiceErrors(path: string, value: string, choices: readonly string[]): readonly FieldError[] {
  if (value === "") return [fieldError.required(path, "")]
  return choices.includes(value) ? [] : [fieldError.notSupported(path, value, choices)]
}

function timeErrors(path: string, text: string, longest = Number.POSITIVE_INFINITY): readonly FieldError[] {
  const time = durationIn(text)
  if (time === 0) return [fieldError.required(path, "")]
  if (time > 0 && time <= longest) return []
  const limits = longest === Number.POSITIVE_INFINITY ? "must be > 0s" : `must be > 0s and <= ${formatDuration(longest)}`
  return [fieldError.invalid(path, text, limits)]
}

/** Milliseconds; 0 for none, and not a number for a text that is no duration. */
function durationIn(text: string): number {
  if (text === "") return 0
  try {
    return milliseconds(text as `${number}s`)
  } catch {
    // Said by the caller, with the field.
    return Number.NaN
  }
}

function connectionErrors(path: string, { type = "", kubeConfigFile = "" }: NonNullable<Webhook["connectionInfo"]>): readonly FieldError[] {
  const file = `${path}.kubeConfigFile`
  if (type !== "KubeConfigFile") return choiceErrors(`${path}.type`, type, ["KubeConfigFile"])
  if (kubeConfigFile === "") return [fieldError.required(file, "")]
  return kubeConfigFile.startsWith("/") ? [] : [fieldError.invalid(file, kubeConfigFile, "must be an absolute path")]
}

function conditionErrors(path: string, { matchConditions = [] }: Webhook, conditions: Conditions): readonly FieldError[] {
  if (matchConditions.length > maxConditions) return [fieldError.tooMany(path, matchConditions.length, maxConditions)]
  const seen = new Set<string>()
  return matchConditions.flatMap(({ expression = "" }, index) => {
    const field = `${path}[${index}].expression`
    if (expression.trim() === "") return [fieldError.required(field, "")]
    if (seen.has(expression)) return [fieldError.duplicate(field, expression)]
    seen.add(expression)
    const error = conditions?.errors[index]
    return error === undefined ? [] : [fieldError.invalid(field, expression, error)]
  })
}
