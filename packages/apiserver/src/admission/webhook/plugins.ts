import type { Clock } from "@pilothouse/seams"
import { isExemptFromAdmission } from "../matching/exempt-resources.ts"
import type { AdmissionPlugin } from "../plugin.ts"
import { webhookIndexes } from "./webhook-index.ts"

type Dispatchers = typeof import("./dispatch.ts")

/** Loaded when the first webhook exists. */
const library: { dispatchers?: Dispatchers } = {}

async function loaded(clock: Clock): Promise<Dispatchers> {
  library.dispatchers ??= await clock.external(import("./dispatch.ts"), "loading admission webhooks")
  return library.dispatchers
}

/** Calls the webhooks of MutatingWebhookConfigurations one after the other; each sees what those before it have made of the object. */
export const mutatingAdmissionWebhook: AdmissionPlugin = {
  name: "MutatingAdmissionWebhook",
  admit(attributes) {
    const hooks = attributes.server.indexes.get(webhookIndexes.mutating)
    if (hooks.length === 0 || isExemptFromAdmission(attributes.resource)) return
    return (async () => (await loaded(attributes.server.clock)).mutate(hooks, attributes))()
  },
}

/** Calls the webhooks of ValidatingWebhookConfigurations at once, with the object as it will be stored. */
export const validatingAdmissionWebhook: AdmissionPlugin = {
  name: "ValidatingAdmissionWebhook",
  validate(attributes) {
    const hooks = attributes.server.indexes.get(webhookIndexes.validating)
    if (hooks.length === 0 || isExemptFromAdmission(attributes.resource)) return
    return (async () => (await loaded(attributes.server.clock)).validate(hooks, attributes))()
  },
}
