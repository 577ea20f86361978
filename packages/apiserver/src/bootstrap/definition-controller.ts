import { deepEqual, isNotFound, type KubeObject, pathOf } from "@pilothouse/api"
import { type CustomResourceDefinition, customResourceDefinitions } from "@pilothouse/api/apiextensions/v1"
import { messageOf } from "@pilothouse/seams"
import { apiServer } from "../authentication/identity.ts"
import { type Condition, isConditionTrue, withCondition } from "../customresources/definition/conditions.ts"
import { cleanupFinalizer } from "../customresources/definition/deletion.ts"
import { nextStatus } from "../customresources/definition/next-status.ts"
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

/** Accepted names, and Established: a policy that puts an old status back is not asked again until the definition changes. */
const statusSteps = 2

/** Milliseconds after which a definition says that objects of it are left. */
const instanceDeletionTimeout = 60_000

/**
 * Writes the status of definitions that their create did not establish: names are accepted first, then the definition is established, each by a write of
 * its own that watchers see. Of a definition that is deleted, the objects are deleted before it goes. Works on one definition at a time, until disposed.
 */
export class DefinitionController {
  readonly #server: Server
  readonly #serve: Serve
  readonly #keys: KeyedWork
  readonly #held = new DisposableStack()
  /** By definition: what waits for its last object. */
  readonly #waiting = new Map<string, Disposable>()
  /** Definitions whose objects were not gone in time, until their status says so. */
  readonly #overdue = new Set<string>()

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
    if (this.#server.registry.customResources.definition(name) === undefined) this.#addGroup(name.slice(name.indexOf(".") + 1))
  }

  /** A name may be free for others of the group. */
  #addGroup(group: string): void {
    for (const { metadata, spec } of this.#server.registry.customResources.definitions())
      if (spec.group === group) this.#keys.add(metadata.name ?? "")
  }

  async #work(name: string): Promise<void> {
    const { registry, log } = this.#server
    const definition = registry.customResources.definition(name)
    if (definition === undefined) return void this.#overdue.delete(name)
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
    await this.#writeStatus(definition)
  }

  async #writeStatus(definition: CustomResourceDefinition): Promise<void> {
    const { clock, registry } = this.#server
    const { customResources } = registry
    const now = clock.now()
    let current: CustomResourceDefinition | undefined = definition
    for (let step = 0; current !== undefined && step < statusSteps; step++) {
      const next = nextStatus(current, customResources.othersOfGroup(current), now)
      if (next === current) return
      using _names = customResources.reserveNames(next)
      const written = await this.#write(current, next)
      if (written !== undefined && isRenamed(current, written)) this.#addGroup(definition.spec.group)
      current = written
    }
  }

  /** Returns what is stored; undefined after a conflict with another writer, whose change is queued. */
  async #write(before: CustomResourceDefinition, next: CustomResourceDefinition): Promise<CustomResourceDefinition | undefined> {
    if (next === before) return before
    const path = pathOf(customResourceDefinitions, { name: before.metadata.name ?? "", subresource: "status" })
    return (await ownWrite(this.#serve, { verb: "PUT", path, value: next })) as CustomResourceDefinition | undefined
  }

  async #finalize(definition: CustomResourceDefinition): Promise<void> {
    if (this.#overdue.delete(definition.metadata.name ?? "")) {
      // Its event begins the next attempt, as upstream: watchers see both conditions, and objects that came meanwhile are deleted too.
      await this.#write(definition, withCondition(definition, instancesLeft, this.#server.clock.now()))
      return
    }
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
    const { storage, clock } = this.#server
    if (this.#waiting.has(name)) return
    const held = new DisposableStack()
    const end = () => {
      this.#waiting.delete(name)
      held.dispose()
      this.#keys.add(name)
    }
    const isEmpty = () => storage.list(prefix, { limit: 1 }).items.length === 0
    held.use(storage.watch(prefix, storage.revision, ({ type }) => void (type === "delete" && isEmpty() && end())))
    held.use(
      clock.timer(instanceDeletionTimeout, "the objects of a deleted definition are left", () => {
        this.#overdue.add(name)
        end()
      }),
    )
    this.#waiting.set(name, held)
  }
}

const deletionInProgress = terminating("True", "InstanceDeletionInProgress", "CustomResource deletion is in progress")
const instancesLeft = terminating(
  "True",
  "InstanceDeletionCheck",
  "could not confirm zero CustomResources remaining: timed out waiting for the condition",
)
const deletionCompleted = terminating("False", "InstanceDeletionCompleted", "removed all instances")
const neverEstablished = terminating("False", "NeverEstablished", "resource was never established")
const overlapping = terminating("False", "OverlappingBuiltInResource", "instances overlap with built-in resources in storage")

function terminating(status: Condition["status"], reason: string, message: string): Condition {
  return { type: "Terminating", status, reason, message }
}

/** Whether a definition has given up names that it had. */
function isRenamed({ status: before }: CustomResourceDefinition, { status: after }: CustomResourceDefinition): boolean {
  return (before?.acceptedNames?.plural ?? "") !== "" && !deepEqual(before?.acceptedNames, after?.acceptedNames)
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
