import { isEverything, type KubeObject, type LabelSelector, matchesLabels, notFound, type Selector, selectorOf } from "@pilothouse/api"
import { type Namespace, namespaces } from "@pilothouse/api/core/v1"
import { readObject } from "../../registry/object-key.ts"
import type { Registry } from "../../registry/registry.ts"
import { isCustom, type Resource } from "../../resources/resource.ts"
import type { AdmissionAttributes } from "../plugin.ts"
import { type MatchRule, type RuleTarget, ruleMatches } from "./rules.ts"

/** What a webhook, a policy or a binding says of the requests that concern it. */
export interface MatchOptions {
  readonly rules: readonly MatchRule[]
  /** Requests that do not concern it although a rule says so. */
  readonly excludeRules?: readonly MatchRule[]
  /** "Equivalent" by default: a request for another version of the same objects matches too. */
  readonly matchPolicy?: string
  readonly namespaceSelector?: LabelSelector
  readonly objectSelector?: LabelSelector
}

/** Returns the resource in whose version the request matches, or undefined where it does not. Throws the 404 of a namespace that has to be matched and does not exist. */
export type RequestMatcher = (attributes: AdmissionAttributes) => Resource | undefined

/** Returns what decides whether requests match; its selectors are parsed once. */
export function requestMatcher(options: MatchOptions): RequestMatcher {
  const { rules, excludeRules = [], matchPolicy = "Equivalent" } = options
  const inNamespace = selectorOf(options.namespaceSelector ?? {})
  const ofObject = selectorOf(options.objectSelector ?? {})
  const equivalents = matchPolicy === "Equivalent" ? equivalentResources : () => []
  return (attributes) => {
    // A namespace that does not exist is an error only where everything else matches.
    const labels = isEverything(inNamespace) ? undefined : namespaceLabels(attributes)
    if (labels !== undefined && labels !== missing && !matchesLabels(inNamespace, labels)) return undefined
    if (!matchesObject(ofObject, attributes)) return undefined
    if (excludeRules.length > 0 && matchingResource(excludeRules, attributes, equivalents) !== undefined) return undefined
    const matched = matchingResource(rules, attributes, equivalents)
    if (matched !== undefined && labels === missing) throw notFound(namespaces, namespaceOf(attributes))
    return matched
  }
}

/** Returns the namespace that admission knows a request by: a Namespace stands in itself. */
export function namespaceOf({ namespace, name, resource }: AdmissionAttributes): string {
  return isNamespace(resource) ? name : (namespace ?? "")
}

type Labels = Readonly<Record<string, string>>
const missing = Symbol("no such namespace")

/** Undefined for an object of the whole cluster, which every selector of namespaces matches. */
function namespaceLabels(attributes: AdmissionAttributes): Labels | typeof missing | undefined {
  const { server, resource, subresource, operation, object } = attributes
  const name = namespaceOf(attributes)
  if (name === "" && !isNamespace(resource)) return undefined
  const isWritten = resource.descriptor.plural === "namespaces" && subresource === "" && (operation === "CREATE" || operation === "UPDATE")
  if (isWritten && object !== undefined) return object.metadata.labels ?? {}
  const found: Namespace | undefined = readObject(server.storage, server.registry.of(namespaces), undefined, name)
  return found === undefined ? missing : (found.metadata.labels ?? {})
}

function matchesObject(selector: Selector, { object, old }: AdmissionAttributes): boolean {
  if (isEverything(selector)) return true
  const matches = (one: { readonly metadata?: KubeObject["metadata"] } | undefined) =>
    one?.metadata !== undefined && matchesLabels(selector, one.metadata.labels)
  return matches(object) || matches(old)
}

function isNamespace({ descriptor }: Resource): boolean {
  return descriptor.group === "" && descriptor.plural === "namespaces"
}

type Equivalents = (registry: Registry, resource: Resource) => readonly Resource[]

/** The request's own version first, then the others in the order of the rules. */
function matchingResource(rules: readonly MatchRule[], attributes: AdmissionAttributes, equivalents: Equivalents): Resource | undefined {
  const { resource, server } = attributes
  const own = targetOf(attributes, resource)
  if (rules.some((rule) => ruleMatches(rule, own))) return resource
  const others = equivalents(server.registry, resource).map((other) => ({ other, target: targetOf(attributes, other) }))
  if (others.length === 0) return undefined
  for (const rule of rules) {
    const found = others.find(({ target }) => ruleMatches(rule, target))
    if (found !== undefined) return found.other
  }
  return undefined
}

/** Returns the other resources that show the same objects: versions of a HorizontalPodAutoscaler or of a custom resource, the two groups of events. */
function equivalentResources(registry: Registry, resource: Resource): readonly Resource[] {
  const { descriptor, stored } = resource
  const family = isCustom(resource) ? registry.customResources.versionsOf(descriptor) : registry.storedBelow(stored.prefix)
  if (family.length === 1) return []
  return family.filter(({ descriptor: other }) => other.version !== descriptor.version || other.group !== descriptor.group)
}

function targetOf(attributes: AdmissionAttributes, resource: Resource): RuleTarget {
  const { group, version, plural } = resource.descriptor
  const { operation, subresource, name } = attributes
  const isNamespaced = !isNamespace(resource) && namespaceOf(attributes) !== ""
  return { operation, group, version, plural, subresource, isNamespaced, name }
}
