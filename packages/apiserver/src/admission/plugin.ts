import { type Descriptor, type DeviceClassNames, forbidden, type KubeObject, type StatusError } from "@pilothouse/api"
import type { ResourceClaim } from "@pilothouse/api/resource/v1"
import type { Clock, Counter, Dial, Log, Metrics, Query, Random } from "@pilothouse/seams"
import type { Identity } from "../authentication/identity.ts"
import type { Authorizer } from "../authorization/authorizer.ts"
import type { Draft } from "../body/draft.ts"
import type { ManagedFields } from "../managedfields/object-managed-fields.ts"
import type { ObjectIndexes } from "../registry/object-indexes.ts"
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
  /** Webhooks and policies, as they are stored. */
  readonly indexes: Pick<ObjectIndexes, "get">
  readonly log: Log
  readonly authorizer: Authorizer
  /** Of long work, such as a check of all pods of a namespace. */
  readonly turns: Turns
  /** For quotas of devices. */
  readonly devices: Devices
  readonly metrics: { readonly podSecurity: Readonly<Record<"evaluations" | "exemptions" | "errors", Counter>> }
  /** How to reach webhooks. */
  readonly dial: Dial | undefined
  /** Where plugins that are loaded when they are needed count. */
  readonly admissionMetrics: Metrics
}

/** The request that admission decides on: one request may admit several objects. */
export interface AdmissionRequest {
  /** Whether nothing is written: a plugin must then have no side effects. */
  readonly dryRun: boolean
  /** "update" or "patch", which have the same operation. */
  readonly verb: string
  readonly query: Query
  /** For the Warning headers of the answer. */
  readonly warnings: Set<string>
  readonly signal: AbortSignal | undefined
}

export type AdmissionOperation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT"

/** The write that plugins decide on. */
export interface AdmissionAttributes {
  readonly server: AdmissionServer
  readonly request: AdmissionRequest
  readonly identity: Identity
  readonly operation: AdmissionOperation
  readonly resource: Resource
  readonly subresource: string
  readonly namespace: string | undefined
  /** "" for a new object whose name the server will make. */
  readonly name: string
  /** What is to be written; undefined for a delete. `admit` may change it, in place. */
  readonly object: Draft<KubeObject> | undefined
  readonly old: KubeObject | undefined
  readonly dryRun: boolean
  /** The Warning headers of the answer, one text each. */
  readonly warnings: Set<string>
  /** Of `object` and `old` where that is not the kind of the resource: Scale, Eviction, PodExecOptions. */
  readonly kind?: Pick<Descriptor, "group" | "version" | "kind">
  /** The DeleteOptions of a delete. */
  readonly deleteOptions?: object
  /** The ownership of the fields of `object`, which a plugin may replace. */
  managedFields?: readonly ManagedFields[]
  /** Set by the first plugin that may have to run again. */
  reinvocation?: Reinvocation
}

/** Returns the name of the object for refusals: the prefix of it where the server has not generated it yet, as for the pods of a ReplicaSet. */
export function objectName({ name, object }: AdmissionAttributes): string {
  return name || object?.metadata?.name || object?.metadata?.generateName || "Unknown"
}

/** What plugins that require a second round of mutating admission remember of the first. */
export interface Reinvocation {
  /** Whether this is the second round. */
  isReinvoke: boolean
  /** Whether the object was changed by a plugin that others may have to see. */
  isNeeded: boolean
  /** By the name of the plugin. */
  readonly memory: Map<string, unknown>
}

/** One admission plugin. It refuses a request by throwing a StatusError that says why. */
export interface AdmissionPlugin {
  /** As in --enable-admission-plugins. */
  readonly name: string
  /** Before the object is validated. */
  admit?(attributes: AdmissionAttributes): void | Promise<void>
  /** After it is validated; changes nothing. */
  validate?(attributes: AdmissionAttributes): void | Promise<void>
  /** Whether reserveQuota has something to do, which may take milliseconds. */
  countsAgainstQuota?(attributes: AdmissionAttributes): boolean
  /** Last of all: what has to be written together with the object, or a refusal. Called again when that lost against another writer. */
  reserveQuota?(attributes: AdmissionAttributes): readonly Write[]
}

/** Returns the 403 of a plugin: upstream's admission.NewForbidden. */
export function refusal(attributes: AdmissionAttributes, why: string): StatusError {
  return forbidden(attributes.resource.descriptor, objectName(attributes), why)
}

/**
 * Lets every plugin change the object, or refuse it, in order. Where one of them says that others have to see its change, all run a second time, and never
 * a third. Returns a promise only where a plugin does.
 */
export function admit(plugins: readonly AdmissionPlugin[], attributes: AdmissionAttributes): void | Promise<void> {
  const pending = inOrder(plugins, (plugin) => plugin.admit?.(attributes))
  return pending === undefined ? again(plugins, attributes) : pending.then(() => again(plugins, attributes))
}

function again(plugins: readonly AdmissionPlugin[], attributes: AdmissionAttributes): void | Promise<void> {
  const { reinvocation } = attributes
  if (reinvocation?.isNeeded !== true) return
  reinvocation.isReinvoke = true
  return inOrder(plugins, (plugin) => plugin.admit?.(attributes))
}

/** Returns what is remembered between the rounds of a write. */
export function reinvocationOf(attributes: AdmissionAttributes): Reinvocation {
  attributes.reinvocation ??= { isReinvoke: false, isNeeded: false, memory: new Map() }
  return attributes.reinvocation
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
