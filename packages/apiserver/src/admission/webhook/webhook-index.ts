import type { Descriptor } from "@pilothouse/api"
import type { MutatingWebhook } from "@pilothouse/api/admissionregistration/v1"
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from "@pilothouse/api/admissionregistration/v1"
import type { MatchConditions } from "@pilothouse/cel/kubernetes"
import { lazy } from "@pilothouse/seams"
import type { ObjectIndex } from "../../registry/object-indexes.ts"
import type { WebhookConfiguration } from "../../resources/policy/admission-registration.ts"
import { matchConditionLibrary } from "../../validation/match-conditions.ts"
import { type RequestMatcher, requestMatcher } from "../matching/match-request.ts"

export type WebhookType = "mutating" | "validating"

/** A webhook of a configuration, with what decides whether it is called. */
export interface IndexedWebhook {
  /** The same for a webhook as long as its configuration has it. */
  readonly uid: string
  readonly configuration: string
  readonly webhook: MutatingWebhook
  readonly matches: RequestMatcher
  /** Compiled when a request first meets them, once the library is loaded. */
  readonly conditions: () => MatchConditions
}

function indexOf(kind: Descriptor): ObjectIndex<readonly IndexedWebhook[]> {
  return { kinds: [kind], read: ([configurations = []]) => (configurations as readonly WebhookConfiguration[]).flatMap(webhooksOf) }
}

/** The webhooks of all configurations of one type: configurations by name, their webhooks in order. */
export const webhookIndexes: Readonly<Record<WebhookType, ObjectIndex<readonly IndexedWebhook[]>>> = {
  mutating: indexOf(mutatingWebhookConfigurations as Descriptor),
  validating: indexOf(validatingWebhookConfigurations as Descriptor),
}

function webhooksOf({ metadata, webhooks = [] }: WebhookConfiguration): readonly IndexedWebhook[] {
  const configuration = metadata.name ?? ""
  const times = new Map<string, number>()
  return webhooks.map((webhook) => {
    const { name, rules = [], matchPolicy, namespaceSelector, objectSelector } = webhook
    const time = times.get(name) ?? 0
    times.set(name, time + 1)
    const matches = requestMatcher({ rules, matchPolicy, namespaceSelector, objectSelector })
    const conditions = lazy(() => new (matchConditionLibrary().MatchConditions)(webhook.matchConditions ?? [], { authorizer: true }))
    return { uid: `${configuration}/${name}/${time}`, configuration, webhook, matches, conditions }
  })
}
