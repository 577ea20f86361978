import { deepEqual, type KubeObject } from "@pilothouse/api"
import type {
  MatchResources,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhook,
  RuleWithOperations,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from "@pilothouse/api/admissionregistration/v1"
import type { Draft } from "../../body/draft.ts"
import {
  mutatingPolicyErrors,
  policyBindingErrors,
  validatingPolicyErrors,
  validationActionErrors,
} from "../../validation/admission-policy.ts"
import { loadMatchConditions } from "../../validation/match-conditions.ts"
import { webhookErrors } from "../../validation/webhook-configuration.ts"
import type { ResourceStrategy } from "../resource.ts"

/** Both kinds of it have no spec: the list is all there is. */
export type WebhookConfiguration = KubeObject & { readonly webhooks?: readonly MutatingWebhook[] }

/** An update must name the resourceVersion that was read (AllowUnconditionalUpdate is false upstream). */
const conditional = { unconditionalUpdate: false } as const

export const validatingWebhooks: ResourceStrategy<WebhookConfiguration> = {
  ...conditional,
  generation: (object, old) => !deepEqual(object.webhooks, old.webhooks),
  generationInMemory: "webhooks",
  defaults: ({ webhooks = [] }) => webhooks.forEach(defaultWebhook),
  load: (clock, body) => (mentionsConditions(body) ? loadMatchConditions(clock)?.then(() => {}) : undefined),
  validate: ({ webhooks }, old) => webhookErrors(webhooks, old?.webhooks),
}

/** A JSON patch may add conditions under any path. */
function mentionsConditions(body: unknown): boolean {
  if (Array.isArray(body)) return true
  const { webhooks } = (body ?? {}) as { readonly webhooks?: unknown }
  return Array.isArray(webhooks) && webhooks.some((webhook) => (webhook as Partial<MutatingWebhook> | null)?.matchConditions !== undefined)
}

export const mutatingWebhooks: ResourceStrategy<WebhookConfiguration> = {
  ...validatingWebhooks,
  defaults({ webhooks = [] }) {
    webhooks.forEach(defaultWebhook)
    for (const webhook of webhooks) webhook.reinvocationPolicy ??= "Never"
  },
}

function defaultWebhook(webhook: Draft<MutatingWebhook>): void {
  webhook.failurePolicy ??= "Fail"
  webhook.timeoutSeconds ??= 10
  defaultMatching(webhook)
  defaultScopes(webhook.rules)
  if (webhook.clientConfig?.service !== undefined) webhook.clientConfig.service.port ??= 443
}

function defaultMatching(matching: Draft<Pick<MatchResources, "matchPolicy" | "namespaceSelector" | "objectSelector">>): void {
  matching.matchPolicy ??= "Equivalent"
  matching.namespaceSelector ??= {}
  matching.objectSelector ??= {}
}

function defaultScopes(rules: Draft<RuleWithOperations[]> | undefined): void {
  for (const rule of rules ?? []) rule.scope ??= "*"
}

function defaultResources(matched: Draft<MatchResources> | undefined): void {
  if (matched === undefined) return
  defaultMatching(matched)
  defaultScopes(matched.resourceRules)
  defaultScopes(matched.excludeResourceRules)
}

function defaultPolicy(
  spec: Draft<Pick<NonNullable<MutatingAdmissionPolicy["spec"]>, "failurePolicy" | "matchConstraints">> | undefined,
): void {
  if (spec === undefined) return
  spec.failurePolicy ??= "Fail"
  defaultResources(spec.matchConstraints)
}

export const validatingPolicy: ResourceStrategy<ValidatingAdmissionPolicy> = {
  statusKeeps: "metadata",
  ...conditional,
  generation: "spec",
  defaults: ({ spec }) => defaultPolicy(spec),
  load: (clock) => loadMatchConditions(clock)?.then(() => {}),
  validate: validatingPolicyErrors,
}

export const mutatingPolicy: ResourceStrategy<MutatingAdmissionPolicy> = {
  ...conditional,
  generation: "spec",
  defaults: ({ spec }) => defaultPolicy(spec),
  load: (clock) => loadMatchConditions(clock)?.then(() => {}),
  validate: mutatingPolicyErrors,
}

export const validatingPolicyBinding: ResourceStrategy<ValidatingAdmissionPolicyBinding> = {
  ...conditional,
  generation: "spec",
  defaults: ({ spec }) => defaultResources(spec?.matchResources),
  validate: ({ spec }) => [
    ...policyBindingErrors(spec ?? {}),
    ...validationActionErrors(spec?.validationActions ?? [], "spec.validationActions"),
  ],
}

export const mutatingPolicyBinding: ResourceStrategy<MutatingAdmissionPolicyBinding> = {
  ...conditional,
  generation: "spec",
  defaults: ({ spec }) => defaultResources(spec?.matchResources),
  validate: ({ spec }) => policyBindingErrors(spec ?? {}),
}
