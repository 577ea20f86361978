import { internalError, invalid, type KubeObject, quoted } from "@pilothouse/api"
import { type Namespace, namespaces, type Pod, type PodTemplateSpec } from "@pilothouse/api/core/v1"
import { readObject } from "../../registry/object-key.ts"
import { type AdmissionAttributes, type AdmissionPlugin, refusal } from "../plugin.ts"
import { podTemplateOf } from "../pods/pod-templates.ts"
import {
  defaultPodSecurity,
  formatPolicy,
  isPrivileged,
  isStricter,
  type LevelVersion,
  labelsOf,
  modes,
  type ParsedPolicy,
  type PodSecurityConfiguration,
  type Policy,
  policyOf,
  samePolicy,
} from "./checks/policy.ts"
import { countEvaluation, countExemption, countFailure } from "./metrics.ts"

type Evaluation = typeof import("./evaluate.ts")

/** Subresources of a pod that do not change what its containers may do. */
const ignoredSubresources: ReadonlySet<string> = new Set(["attach", "binding", "eviction", "exec", "log", "portforward", "proxy", "status"])

/**
 * Holds pods to the Pod Security Standard that labels of their namespace name: refuses those that violate what is enforced, and warns of pods and
 * templates of pods that violate what is warned of. The checks are loaded for the first namespace that has such labels; others pay one lookup.
 */
export function podSecurity(configuration: PodSecurityConfiguration = defaultPodSecurity): AdmissionPlugin {
  const plugin = new PodSecurity(configuration)
  return { name: "PodSecurity", validate: (attributes) => plugin.validate(attributes) }
}

class PodSecurity {
  readonly #configuration: PodSecurityConfiguration
  readonly #exempt: Readonly<Record<"namespaces" | "usernames", ReadonlySet<string>>>
  /** Undefined before the first policy that forbids something. */
  #evaluation: Evaluation | undefined

  constructor(configuration: PodSecurityConfiguration) {
    this.#configuration = configuration
    const { namespaces: exemptNamespaces, usernames } = configuration.exemptions
    this.#exempt = { namespaces: new Set(exemptNamespaces), usernames: new Set(usernames) }
  }

  validate(attributes: AdmissionAttributes): void | Promise<void> {
    const { operation, resource, subresource, object } = attributes
    if (operation === "DELETE" || object === undefined) return
    const { group, plural } = resource.descriptor
    if (group === "" && plural === "pods") return ignoredSubresources.has(subresource) ? undefined : this.#validatePod(attributes)
    if (subresource !== "") return
    if (group === "" && plural === "namespaces") return this.#validateNamespace(attributes)
    const template = podTemplateOf({ group, plural })
    if (template !== undefined) return this.#validateTemplate(attributes, template)
  }

  #validatePod(attributes: AdmissionAttributes): void | Promise<void> {
    if (this.#isExempt(attributes)) return
    const parsed = this.#policyFor(attributes)
    if (parsed === undefined) {
      countFailure(attributes, true)
      throw internalError(`failed to lookup namespace ${quoted(attributes.namespace ?? "")}`)
    }
    const { policy, errors } = parsed
    if (errors.length === 0 && isPrivileged(policy)) return countEvaluation(attributes, "allow", policy.enforce, "enforce")
    if (attributes.operation === "UPDATE" && !changesImages(attributes.object as Pod, attributes.old as Pod)) return
    return this.#evaluate(attributes, parsed, attributes.object as Pod, true)
  }

  #validateTemplate(
    attributes: AdmissionAttributes,
    templateOf: (object: KubeObject) => PodTemplateSpec | undefined,
  ): void | Promise<void> {
    if (this.#isExempt(attributes)) return
    const parsed = this.#policyFor(attributes)
    if (parsed === undefined) return countFailure(attributes, true)
    const { warn, audit } = parsed.policy
    if (parsed.errors.length === 0 && warn.level === "privileged" && audit.level === "privileged") return
    const template = templateOf(attributes.object as KubeObject)
    if (template !== undefined) return this.#evaluate(attributes, parsed, template, false)
  }

  #isExempt(attributes: AdmissionAttributes): boolean {
    const { namespaces: exemptNamespaces, usernames } = this.#exempt
    const exempt = exemptNamespaces.has(attributes.namespace ?? "") || usernames.has(attributes.identity.name)
    if (exempt) countExemption(attributes)
    return exempt
  }

  /** Undefined where there is no such namespace: what it enforces is not known then, so no pod may be in it. */
  #policyFor({ server, namespace = "" }: AdmissionAttributes): ParsedPolicy | undefined {
    const found: Namespace | undefined = readObject(server.storage, server.registry.of(namespaces), undefined, namespace)
    return found && policyOf(found.metadata.labels, this.#configuration.defaults)
  }

  #evaluate(
    attributes: AdmissionAttributes,
    { policy, errors }: ParsedPolicy,
    pod: PodTemplateSpec,
    enforces: boolean,
  ): void | Promise<void> {
    if (this.#configuration.exemptions.runtimeClasses.includes(pod.spec?.runtimeClassName ?? "")) return countExemption(attributes)
    if (errors.length > 0) countFailure(attributes, false)
    return this.#loaded(attributes, ({ evaluatePod }) => {
      const refused = evaluatePod(attributes, policy, pod, enforces)
      if (refused !== undefined) throw refusal(attributes, refused)
    })
  }

  #validateNamespace(attributes: AdmissionAttributes): void | Promise<void> {
    const { name, object, old, warnings } = attributes
    const { defaults } = this.#configuration
    const { policy, errors } = policyOf(object?.metadata.labels, defaults)
    const before = old === undefined ? undefined : policyOf(old.metadata.labels, defaults)
    if (errors.length > 0 && !sameErrors(errors, before?.errors ?? [])) throw invalid(namespaces, name, errors)
    if (before !== undefined && !forbidsMore(policy.enforce, before.policy.enforce)) return
    if (this.#exempt.namespaces.has(name)) {
      const warning = exemptNamespaceWarning(name, policy, defaults, object?.metadata.labels ?? {})
      if (warning !== undefined) warnings.add(warning)
      return
    }
    if (before === undefined) return
    return this.#loaded(attributes, async ({ existingPodWarnings }) => {
      const found = await existingPodWarnings(attributes, policy.enforce, this.#configuration.exemptions.runtimeClasses)
      for (const warning of found) warnings.add(warning)
    })
  }

  #loaded({ server }: AdmissionAttributes, step: (evaluation: Evaluation) => void | Promise<void>): void | Promise<void> {
    if (this.#evaluation !== undefined) return step(this.#evaluation)
    return server.clock.external(import("./evaluate.ts"), "loading the Pod Security Standards").then((evaluation) => {
      this.#evaluation = evaluation
      return step(evaluation)
    })
  }
}

/** Of what may change about a running pod, images are what its rights depend on; ephemeral containers may be added. */
function changesImages({ spec: now }: Pod, { spec: before }: Pod): boolean {
  const images = (containers: readonly { readonly image?: string }[] = []) => containers.map(({ image = "" }) => image)
  const differ = (left: readonly string[], right: readonly string[]) =>
    left.length !== right.length || left.some((image, index) => image !== right[index])
  if (differ(images(now?.containers), images(before?.containers))) return true
  if (differ(images(now?.initContainers), images(before?.initContainers))) return true
  const ephemeral = new Map((before?.ephemeralContainers ?? []).map(({ name, image }) => [name, image]))
  return (now?.ephemeralContainers ?? []).some(({ name, image }) => !ephemeral.has(name) || ephemeral.get(name) !== image)
}

function sameErrors(left: ParsedPolicy["errors"], right: ParsedPolicy["errors"]): boolean {
  return (
    left.length === right.length &&
    left.every(({ field, message }, index) => field === right[index]?.field && message === right[index]?.message)
  )
}

/** Reports whether pods that were admitted may violate what is enforced now. */
function forbidsMore(now: LevelVersion, before: LevelVersion): boolean {
  if (samePolicy(now, before) || now.level === "privileged") return false
  return now.version !== before.version || isStricter(now.level, before.level)
}

/** Labels of an exempt namespace have no effect, which is said where they are not those that every namespace has. */
function exemptNamespaceWarning(name: string, policy: Policy, defaults: Policy, labels: Readonly<Record<string, string>>) {
  const isDefault = modes.every((mode) => isEquivalent(policy[mode], defaults[mode]))
  if (isPrivileged(policy) || isDefault) return undefined
  const declared = modes.filter((mode) => {
    const { level, version } = labelsOf(mode)
    return policy[mode].level !== "privileged" && (labels[level] !== undefined || labels[version] !== undefined)
  })
  const ignored = declared.map((mode) => `${mode}=${formatPolicy(policy[mode])}`).join(", ")
  return `namespace "${name}" is exempt from Pod Security, and the policy (${ignored}) will be ignored`
}

function isEquivalent(one: LevelVersion, other: LevelVersion): boolean {
  return samePolicy(one, other) || (one.level === "privileged" && other.level === "privileged")
}
