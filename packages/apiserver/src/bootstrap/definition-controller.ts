import { deepEqual, isNotFound, type KubeObject, pathOf } from "@pilothouse/api"
import { type CustomResourceDefinition, customResourceDefinitions } from "@pilothouse/api/apiextensions/v1"
import { messageOf } from "@pilothouse/seams"
import { apiServer } from "../authentication/identity.ts"
import { approvalCondition } from "../customresources/definition/api-approval.ts"
import { type Condition, isConditionTrue, withCondition } from "../customresources/definition/conditions.ts"
import { cleanupFinalizer } from "../customresources/definition/deletion.ts"
import { acceptNames, establishedCondition } from "../customresources/definition/names.ts"
import { withoutAdmission } from "../objects/admit-request.ts"
import { deleteObject } from "../objects/delete-object.ts"
import { wantedOf } from "../request/negotiation.ts"
import type { Resource } from "../resources/resource.ts"
import type { Call, Serve } from "../server/call.ts"
import { KeyedWork } from "../server/keyed-work.ts"
import { ownWrite } from "../server/own-write.ts"
import type { Server } from "../server/server.ts"

/** After a write that the storage did not take. */
const retryAfter = 5_000

/**
 * Writes the status of definitions: names are accepted first, then the definition is established, each by a write of its own that watchers see. Of a
 * definition that is deleted, the objects are deleted before it goes. Works on one definition at a time, until disposed.
 */
export class DefinitionController {
  readonly #server: Server
  readonly #serve: Serve
  readonly #keys: KeyedWork
  readonly #held = new DisposableStack()
  /** By definition: what waits for its last object. */
  readonly #waiting = new Map<string, Disposable>()

  constructor(server: Server, serve: Serve) {
    this.#server = server
    this.#serve = serve
    const { clock, registry } = server
    const { customResources } = registry
    const name = "custom resource definitions are reconciled again"
    const work = (key: string) => this.#work(key)
    this.#keys = this.#held.use(new KeyedWork({ clock, name, concurrency: 1, minDelay: retryAfter, maxDelay: retryAfter, work }))
    this.#held.use(customResources.onChange((name) => this.#changed(name)))
    this.#held.defer(() => this.#waiting.forEach((waiting) => waiting[Symbol.dispose]()))
    for (const { metadata } of customResources.definitions()) this.#keys.add(metadata.name ?? "")
  }

  [Symbol.dispose](): void {
    this.#held.dispose()
  }

  #changed(name: string): void {
    this.#keys.add(name)
    if (this.#server.registry.customResources.definition(name) !== undefined) return
    // What it was called is free for others of its group.
    const group = name.slice(name.indexOf(".") + 1)
    for (const other of this.#ofGroup(group)) this.#keys.add(other.metadata.name ?? "")
  }

  #ofGroup(group: string): readonly CustomResourceDefinition[] {
    return this.#server.registry.customResources.definitions().filter(({ spec }) => spec.group === group)
  }

  async #work(name: string): Promise<void> {
    const { registry, log } = this.#server
    const definition = registry.customResources.definition(name)
    if (definition === undefined) return
    try {
      await this.#reconcile(definition)
    } catch (error) {
      if (!this.#held.disposed)
        log.error("a custom resource definition could not be reconciled, trying again later", { name, error: messageOf(error) })
      throw error
    }
  }

  async #reconcile(definition: CustomResourceDefinition): Promise<void> {
    const { metadata } = definition
    if (metadata.deletionTimestamp !== undefined) {
      if (metadata.finalizers?.includes(cleanupFinalizer)) await this.#finalize(definition)
      return
    }
    const now = this.#server.clock.now()
    const named = this.#named(definition, now)
    const approval = approvalCondition(definition)
    const written = await this.#write(definition, approval === undefined ? named : withCondition(named, approval, now))
    if (written === undefined || !isConditionTrue(written, "NamesAccepted") || isConditionTrue(written, "Established")) return
    await this.#write(written, withCondition(written, establishedCondition(written), now))
  }

  /** Names that were accepted once are not decided again, whatever became of the conditions. */
  #named(definition: CustomResourceDefinition, now: number): CustomResourceDefinition {
    if (deepEqual(definition.spec.names, definition.status?.acceptedNames)) return definition
    const others = this.#ofGroup(definition.spec.group).filter((other) => other.metadata.name !== definition.metadata.name)
    const { acceptedNames, namesAccepted, established } = acceptNames(definition, others)
    return withStatus(withCondition(withCondition(definition, namesAccepted, now), established, now), { acceptedNames })
  }

  /** Returns what is stored; undefined after a conflict with another writer, whose change is queued. */
  async #write(before: CustomResourceDefinition, next: CustomResourceDefinition): Promise<CustomResourceDefinition | undefined> {
    if (next === before) return before
    const path = pathOf(customResourceDefinitions, { name: before.metadata.name ?? "", subresource: "status" })
    return (await ownWrite(this.#serve, { verb: "PUT", path, value: next })) as CustomResourceDefinition | undefined
  }

  async #finalize(definition: CustomResourceDefinition): Promise<void> {
    const current = await this.#write(definition, withCondition(definition, deletionInProgress, this.#server.clock.now()))
    if (current === undefined) return
    const done = await this.#deleteInstances(current)
    if (done === undefined) return
    const ended = withCondition(current, done, this.#server.clock.now())
    const finalizers = (ended.metadata.finalizers ?? []).filter((finalizer) => finalizer !== cleanupFinalizer)
    await this.#write(current, { ...ended, metadata: { ...ended.metadata, finalizers } })
  }

  /** Returns how it ended; undefined while finalizers hold objects: this is called again when the last one has gone. */
  async #deleteInstances(definition: CustomResourceDefinition): Promise<Condition | undefined> {
    const { storage, registry } = this.#server
    const name = definition.metadata.name ?? ""
    const { group, names } = definition.spec
    const isBuiltIn = definition.spec.versions.some((version) => registry.builtIn(group, version.name, names.plural))
    if (isBuiltIn) return overlapping
    const resource = registry.customResources.storageResource(name)
    if (!isConditionTrue(definition, "Established") || resource === undefined) return neverEstablished
    const { prefix } = resource.stored
    // As upstream's finalizer, past admission: a webhook that went with its operator must not keep the definition for ever.
    for (const { value } of storage.list(prefix).items) {
      await deleteObject(withoutAdmission(callOf(this.#server, resource, value)), {}).catch(ignoreGone)
    }
    if (storage.list(prefix, { limit: 1 }).items.length === 0) return deletionCompleted
    this.#waitForEmpty(name, prefix)
    return undefined
  }

  #waitForEmpty(name: string, prefix: string): void {
    const { storage } = this.#server
    if (this.#waiting.has(name)) return
    const watching = storage.watch(prefix, storage.revision, ({ type }) => {
      if (type !== "delete" || storage.list(prefix, { limit: 1 }).items.length > 0) return
      this.#waiting.get(name)?.[Symbol.dispose]()
      this.#waiting.delete(name)
      this.#keys.add(name)
    })
    this.#waiting.set(name, watching)
  }
}

const deletionInProgress = terminating("True", "InstanceDeletionInProgress", "CustomResource deletion is in progress")
const deletionCompleted = terminating("False", "InstanceDeletionCompleted", "removed all instances")
const neverEstablished = terminating("False", "NeverEstablished", "resource was never established")
const overlapping = terminating("False", "OverlappingBuiltInResource", "instances overlap with built-in resources in storage")

function terminating(status: Condition["status"], reason: string, message: string): Condition {
  return { type: "Terminating", status, reason, message }
}

function withStatus(definition: CustomResourceDefinition, status: Partial<CustomResourceDefinition["status"]>): CustomResourceDefinition {
  return deepEqual({ ...definition.status, ...status }, definition.status)
    ? definition
    : { ...definition, status: { ...definition.status, ...status } }
}

/** The server's own request for one object: straight to the objects, whether their version is served or not. */
function callOf(server: Server, resource: Resource, { metadata }: KubeObject): Call {
  return {
    server,
    identity: apiServer,
    resource,
    verb: "delete",
    namespace: metadata.namespace,
    name: metadata.name ?? "",
    subresource: "",
    rest: [],
    query: {},
    headers: {},
    sent: { verb: "DELETE", path: "", query: {}, headers: {} },
    body: undefined,
    contentType: "",
    mayBeLarge: false,
    stages: server.turns.stages(false),
    signal: undefined,
    wanted: wantedOf({}, {}),
    dryRun: false,
    warnings: new Set(),
  }
}

function ignoreGone(error: unknown): void {
  if (!isNotFound(error)) throw error
}
