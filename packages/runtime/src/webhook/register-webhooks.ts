import { isNotFound } from "@pilothouse/api"
import {
  type MutatingWebhook,
  mutatingWebhookConfigurations,
  type ValidatingWebhook,
  validatingWebhookConfigurations,
  type WebhookClientConfig,
} from "@pilothouse/api/admissionregistration/v1"
import { type CustomResourceDefinition, customResourceDefinitions } from "@pilothouse/api/apiextensions/v1"
import { PilothouseError } from "@pilothouse/seams"
import type { Client } from "../client/client.ts"
import { type Webhook, webhookPath } from "./webhook.ts"

/** How API servers reach webhooks: below a URL, or by a Service. */
export interface WebhookAddress {
  /** "https://10.0.0.1:9443" */
  readonly url?: string
  readonly service?: { readonly name: string; readonly namespace: string; readonly port?: number }
  /** PEM that the certificate of the webhooks is verified with. */
  readonly caBundle?: string
}

/** What the configuration of webhooks says of the server that answers them. */
export interface RegisterOptions {
  /** Of the two configurations, and of the field manager of all that is registered. */
  readonly name: string
  readonly address: WebhookAddress
}

/**
 * Applies the configurations of webhooks under their own field manager: fields that others own, such as a selector that an administrator has added, stay.
 * Webhooks that were registered before and are no longer declared go. Conversions are registered in the definitions of their kinds.
 */
export async function registerWebhooks(client: Client, webhooks: readonly Webhook[], { name, address }: RegisterOptions): Promise<void> {
  const options = { fieldManager: name, force: true }
  const metadata = { name }
  const mutating = webhooks.filter(({ spec }) => spec.mutate !== undefined)
  const validating = webhooks.filter(({ spec }) => spec.validate !== undefined)
  if (mutating.length > 0) {
    const hooks = mutating.map((webhook) => ({ ...registered(webhook, address), ...reinvocation(webhook) }))
    await client.apply(mutatingWebhookConfigurations, { metadata, webhooks: hooks }, options)
  }
  if (validating.length > 0) {
    await client.apply(validatingWebhookConfigurations, { metadata, webhooks: validating.map((one) => registered(one, address)) }, options)
  }
  for (const webhook of webhooks) if (webhook.spec.convert !== undefined) await registerConversion(client, webhook, { name, address })
}

/** Applies the conversion of a definition, which must be there: its other fields belong to those who made it. */
async function registerConversion(client: Client, webhook: Webhook, { name, address }: RegisterOptions): Promise<void> {
  const { group, plural, kind } = webhook.spec.of
  const definition = `${plural}.${group}`
  await client.get(customResourceDefinitions, definition).catch((cause: unknown) => {
    if (!isNotFound(cause)) throw cause
    const expected = `expected the definition ${definition} before webhook ${webhook.name}, which converts ${kind} objects, found none; apply it first`
    throw new PilothouseError("INVALID", expected, { cause })
  })
  const clientConfig = clientConfigOf(webhook, address)
  const conversion = { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } } as const
  const applied = { metadata: { name: definition }, spec: { conversion } }
  await client.apply(customResourceDefinitions, applied as unknown as CustomResourceDefinition, { fieldManager: name, force: true })
}

function reinvocation({ spec }: Webhook): Pick<MutatingWebhook, "reinvocationPolicy"> {
  return spec.reinvocationPolicy === undefined ? {} : { reinvocationPolicy: spec.reinvocationPolicy }
}

function registered(webhook: Webhook, address: WebhookAddress): ValidatingWebhook {
  const { of, subresource, operations = ["CREATE", "UPDATE"], sideEffects = "None", failurePolicy, timeoutSeconds } = webhook.spec
  const { namespaceSelector, objectSelector, matchConditions } = webhook.spec
  const resource = subresource === undefined ? of.plural : `${of.plural}/${subresource}`
  return {
    name: webhook.name,
    clientConfig: clientConfigOf(webhook, address),
    rules: [{ operations: [...operations], apiGroups: [of.group], apiVersions: [of.version], resources: [resource] }],
    sideEffects,
    admissionReviewVersions: ["v1"],
    ...(failurePolicy !== undefined && { failurePolicy }),
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    ...(namespaceSelector !== undefined && { namespaceSelector }),
    ...(objectSelector !== undefined && { objectSelector }),
    ...(matchConditions !== undefined && { matchConditions }),
  }
}

function clientConfigOf(webhook: Webhook, { url, service, caBundle }: WebhookAddress): WebhookClientConfig {
  const path = webhookPath(webhook)
  const where = service === undefined ? { url: `${url}${path}` } : { service: { ...service, path } }
  return { ...where, ...(caBundle !== undefined && { caBundle: Buffer.from(caBundle).toString("base64") }) }
}
