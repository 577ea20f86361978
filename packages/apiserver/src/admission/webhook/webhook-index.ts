import type { Descriptor } from "@pilothouse/api"
import type { MutatingWebhook } from "@pilothouse/api/admissionregistration/v1"
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from "@pilothouse/api/admissionregistration/v1"
import type { MatchConditions } from "@pilothouse/cel/kubernetes"
import { lazy } from "@pilothouse/seams"
import { listPrefix } from "../../registry/object-key.ts"
import type { Registry } from "../../registry/registry.ts"
import type { WebhookConfiguration } from "../../resources/policy/admission-registration.ts"
import type { Storage } from "../../storage/storage.ts"
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

const kinds: Readonly<Record<WebhookType, Descriptor>> = {
  mutating: mutatingWebhookConfigurations as Descriptor,
  validating: validatingWebhookConfigurations as Descriptor,
}

/**
 * The webhooks of all configurations of one type: configurations by name, their webhooks in order.
 *
 * Always true between calls: `#found` is undefined, or is what the stored configurations say.
 */
class WebhookIndex {
  readonly #read: () => readonly IndexedWebhook[]
  #found: readonly IndexedWebhook[] | undefined

  constructor(storage: Storage, registry: Registry, type: WebhookType) {
    const prefix = listPrefix(registry.served(kinds[type]), undefined)
    this.#read = () => storage.list(prefix).items.flatMap(({ value }) => webhooksOf(value as WebhookConfiguration))
    storage.watch(prefix, storage.revision, () => {
      this.#found = undefined
    })
  }

  get webhooks(): readonly IndexedWebhook[] {
    this.#found ??= this.#read()
    return this.#found
  }
}

/** Begin with the first write of a server; nothing else is loaded until a configuration exists. */
const indexes: Readonly<Record<WebhookType, WeakMap<Storage, WebhookIndex>>> = { mutating: new WeakMap(), validating: new WeakMap() }

/** Returns the webhooks of a server; empty where there are none. */
export function webhooksFor(
  { storage, registry }: { readonly storage: Storage; readonly registry: Registry },
  type: WebhookType,
): readonly IndexedWebhook[] {
  let index = indexes[type].get(storage)
  if (index === undefined) indexes[type].set(storage, (index = new WebhookIndex(storage, registry, type)))
  return index.webhooks
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
