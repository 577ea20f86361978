import { type KubeObject, keyOf } from "@pilothouse/api"
import type { PersistentVolume, PersistentVolumeClaim } from "@pilothouse/api/core/v1"
import { applyMergePatch } from "@pilothouse/api/patch"
import { describeOperation, type KubeOperation, type Operation, type Plan, type Reader, type Result } from "@pilothouse/runtime"
import { bindCompleted, boundByController } from "../annotations.ts"
import { decideClaim } from "../decide-claim.ts"
import { decideVolume, settleVolume } from "../decide-volume.ts"
import { observeClaim } from "../observe-claim.ts"
import { observeVolume } from "../observe-volume.ts"
import { volumeExecutors } from "../operations.ts"
import { decideProvision, type ProvisionOptions, settleProvision } from "../provision.ts"

export interface WorldOptions extends Partial<ProvisionOptions> {
  readonly objects: readonly KubeObject[]
  /** What only the server has, and no cache yet. */
  readonly unseen?: readonly KubeObject[]
  /** Writes that the server refuses: "create PersistentVolume pvc-1". */
  refuse?(operation: string): Error | undefined
}

/** The server and its caches as a list of objects; one reconcile at a time. */
export class World {
  readonly events: string[] = []
  readonly operations: string[] = []
  readonly #options: ProvisionOptions
  readonly #given: WorldOptions
  #objects: readonly KubeObject[]

  constructor(given: WorldOptions) {
    this.#given = given
    this.#objects = given.objects
    this.#options = { plugins: [], syncPeriod: "15s", dynamicProvisioning: true, ...given }
  }

  async lookAtClaim(name: string): Promise<Plan> {
    const observed = (await observeClaim(`default/${name}`, this.#reader()))!
    const plan = decideClaim(observed, this.#options.syncPeriod)
    await this.#carryOut(plan)
    return plan
  }

  async provisionFor(name: string): Promise<Plan> {
    const observed = (await observeClaim(`default/${name}`, this.#reader()))!
    const plan = decideProvision(observed, this.#options)
    await this.#carryOut(settleProvision(observed, await this.#carryOut(plan)))
    return plan
  }

  async lookAtVolume(name: string): Promise<Plan | undefined> {
    const observed = await observeVolume(name, this.#reader(), this.#options.plugins)
    if (observed === undefined) return undefined
    const plan = decideVolume(observed, this.#options)
    await this.#carryOut(settleVolume(observed, await this.#carryOut(plan)))
    return plan
  }

  /** "v Bound data#uid-data byUs". */
  volumes(): readonly string[] {
    return this.#of<PersistentVolume>("PersistentVolume").map(describeVolume)
  }

  /** "data Bound v 1Gi completed". */
  claims(): readonly string[] {
    return this.#of<PersistentVolumeClaim>("PersistentVolumeClaim").map(describeClaim)
  }

  object<T extends KubeObject>(name: string): T | undefined {
    return this.#objects.find(({ metadata }) => metadata.name === name) as T | undefined
  }

  #of<T extends KubeObject>(kind: string): readonly T[] {
    return this.#objects.filter((object) => object.kind === kind) as unknown as readonly T[]
  }

  #reader(): Reader {
    const get: Reader["get"] = (of, key) => this.#of<never>(of.kind).find((object) => keyOf(object) === key)
    const used: Partial<Reader> = {
      get,
      byIndex: (index, value) => this.#of<never>(index.of.kind).filter((object) => index.values(object).includes(value)),
      live: async (of, key) =>
        (this.#given.unseen?.find((object) => object.kind === of.kind && keyOf(object) === key) as never) ?? get(of, key),
    }
    // The observations use nothing else.
    return used as Reader
  }

  async #carryOut(plan: Plan): Promise<readonly Result[]> {
    const results: Result[] = []
    for (const operation of plan.steps.flatMap((step) => step.operations)) {
      const hasFailed = results.some(({ ok }) => ok !== true)
      results.push(hasFailed ? { operation, ok: "skipped" } : await this.#do(operation))
    }
    if (results.every(({ ok }) => ok === true))
      this.events.push(...plan.events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`))
    return results
  }

  async #do(operation: Operation): Promise<Result> {
    this.operations.push(describeOperation(operation))
    const found = volumeExecutors(this.#options.plugins, "15s").find((one) => one.do === operation.do)
    try {
      if (found !== undefined && "to" in operation)
        return { operation, ok: true, value: await found.execute(operation, new AbortController().signal) }
      const refusal = this.#given.refuse?.(describeOperation(operation))
      if (refusal !== undefined) throw refusal
      this.#write(operation as KubeOperation)
      return { operation, ok: true }
    } catch (error) {
      return { operation, ok: false, error }
    }
  }

  #write(operation: KubeOperation): void {
    const { object } = operation
    const isIt = (one: KubeObject) => one.kind === object.kind && keyOf(one) === keyOf(object)
    if (operation.do === "create") this.#objects = [...this.#objects, { ...object, ...({ status: { phase: "Pending" } } as object) }]
    else if (operation.do === "delete") this.#objects = this.#objects.filter((one) => !isIt(one))
    else this.#objects = this.#objects.map((one) => (isIt(one) ? written(one as Stored, operation) : one))
  }
}

type Stored = KubeObject & { readonly status?: unknown }

function written(stored: Stored, operation: KubeOperation): KubeObject {
  if (operation.do === "update") return { ...operation.object, status: stored.status } as KubeObject
  if (operation.do === "status") return { ...stored, status: operation.status } as KubeObject
  return operation.do === "patch" ? (applyMergePatch(stored, operation.patch) as unknown as KubeObject) : stored
}

function describeVolume({ metadata, spec, status }: PersistentVolume): string {
  const uid = spec?.claimRef?.uid ? `#${spec.claimRef.uid}` : ""
  const parts = [
    metadata.name,
    status?.phase,
    spec?.claimRef && `${spec.claimRef.name}${uid}`,
    metadata.annotations?.[boundByController] && "byUs",
  ]
  return parts.filter(Boolean).join(" ")
}

function describeClaim({ metadata, spec, status }: PersistentVolumeClaim): string {
  const marks = [metadata.annotations?.[bindCompleted] && "completed", metadata.annotations?.[boundByController] && "byUs"]
  return [metadata.name, status?.phase, spec?.volumeName, status?.capacity?.storage, ...marks].filter(Boolean).join(" ")
}
