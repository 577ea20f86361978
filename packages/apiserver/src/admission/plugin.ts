import { type DeviceClassNames, forbidden, type KubeObject, type StatusError } from "@pilothouse/api"
import type { ResourceClaim } from "@pilothouse/api/resource/v1"
import type { Clock, Counter, Random } from "@pilothouse/seams"
import type { Identity } from "../authentication/identity.ts"
import type { Authorizer } from "../authorization/authorizer.ts"
import type { Draft } from "../body/draft.ts"
import type { Registry } from "../registry/registry.ts"
import type { Turns } from "../request/turns.ts"
import type { Resource } from "../resources/resource.ts"
import type { Storage, Write } from "../storage/storage.ts"

/** The classes of devices, and the claims that the scheduler has made for a pod. */
interface Devices {
  readonly classes: DeviceClassNames
  claimsOf(namespace: string, pod: string): readonly ResourceClaim[]
}

/** What plugins may use of the server. */
export interface AdmissionServer {
  readonly clock: Clock
  readonly random: Random
  readonly storage: Storage
  readonly registry: Registry
  readonly authorizer: Authorizer
  /** Of long work, such as a check of all pods of a namespace. */
  readonly turns: Turns
  /** For quotas of devices. */
  readonly devices: Devices
  readonly metrics: { readonly podSecurity: Readonly<Record<"evaluations" | "exemptions" | "errors", Counter>> }
}

/** The write that plugins decide on. */
export interface AdmissionAttributes {
  readonly server: AdmissionServer
  readonly identity: Identity
  readonly operation: "CREATE" | "UPDATE" | "DELETE"
  readonly resource: Resource
  readonly subresource: string
  readonly namespace: string | undefined
  readonly name: string
  /** What is to be written; undefined for a delete. `admit` may change it. */
  readonly object: Draft<KubeObject> | undefined
  readonly old: KubeObject | undefined
  readonly dryRun: boolean
  /** The Warning headers of the answer, one text each. */
  readonly warnings: Set<string>
}

/** One rule at the door. Refuses by throwing a StatusError that says why. */
export interface AdmissionPlugin {
  /** As in --enable-admission-plugins. */
  readonly name: string
  /** Before the object is validated. */
  admit?(attributes: AdmissionAttributes): void | Promise<void>
  /** After it is validated; changes nothing. */
  validate?(attributes: AdmissionAttributes): void | Promise<void>
  /** Whether reserveQuota has something to do, which may take milliseconds. */
  countsAgainstQuota?(attributes: AdmissionAttributes): boolean
  /** Last of all: what has to be written together with the object, or a refusal. Asked again when that lost against another writer. */
  reserveQuota?(attributes: AdmissionAttributes): readonly Write[]
}

/** Returns a 403 about the object; before it has a name it is called by the prefix of it. */
export function refusal({ resource, name, object }: AdmissionAttributes, why: string): StatusError {
  return forbidden(resource.descriptor, name || object?.metadata.generateName || "Unknown", why)
}

/** Lets every plugin change the object, or refuse it, in order. Returns a promise only where a plugin does. */
export function admit(plugins: readonly AdmissionPlugin[], attributes: AdmissionAttributes): void | Promise<void> {
  return inOrder(plugins, (plugin) => plugin.admit?.(attributes))
}

/** Lets every plugin refuse what was validated, in order. Returns a promise only where a plugin does. */
export function validateAdmission(plugins: readonly AdmissionPlugin[], attributes: AdmissionAttributes): void | Promise<void> {
  return inOrder(plugins, (plugin) => plugin.validate?.(attributes))
}

type Step = (plugin: AdmissionPlugin) => void | Promise<void>

function inOrder(plugins: readonly AdmissionPlugin[], step: Step, from = 0): void | Promise<void> {
  for (let index = from; index < plugins.length; index++) {
    const pending = step(plugins[index]!)
    if (pending !== undefined) return pending.then(() => inOrder(plugins, step, index + 1))
  }
}

/** Returns what has to be written together with the object for quotas, or throws the refusal of one. */
export function quotaReservations(plugins: readonly AdmissionPlugin[], attributes: AdmissionAttributes): readonly Write[] {
  return plugins.flatMap((plugin) => plugin.reserveQuota?.(attributes) ?? [])
}
