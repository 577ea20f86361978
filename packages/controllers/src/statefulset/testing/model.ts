import { formatTime } from "@pilothouse/api"
import type { ControllerRevision, StatefulSet, StatefulSetSpec, StatefulSetStatus } from "@pilothouse/api/apps/v1"
import type { PersistentVolumeClaim, Pod } from "@pilothouse/api/core/v1"
import type { KubeOperation } from "@pilothouse/runtime"
import { decide } from "../decide.ts"
import { kubeOperationsOf, now, observed, proposalFor, statefulSet } from "./objects.ts"

/** A set, its pods and claims, and the controller: its plans are applied at once, everything else on request. */
export class Model {
  #now = now
  #made = 0
  set: StatefulSet
  pods: readonly Pod[] = []
  revisions: readonly ControllerRevision[] = []
  claims: readonly PersistentVolumeClaim[] = []
  /** Names that were asked for while a pod had them: the API server would refuse. */
  readonly doubled: string[] = []

  constructor(replicas: number, spec: Partial<StatefulSetSpec>) {
    this.set = statefulSet(replicas, { spec, status: { currentRevision: undefined, updateRevision: undefined, collisionCount: undefined } })
  }

  /** One reconcile; returns what was written. */
  look(): readonly KubeOperation[] {
    const { set, pods, revisions, claims } = this
    const existing = revisions.find(({ metadata }) => metadata.name === proposalFor(set).name)
    const operations = kubeOperationsOf(
      decide(observed(set, { pods, revisions, claims, proposal: { ...proposalFor(set), existing } }), { now: this.#now }),
    )
    for (const operation of operations) this.#apply(operation)
    return operations
  }

  edit(spec: Partial<StatefulSetSpec>, image?: number): void {
    const template = image === undefined ? this.set.spec!.template : statefulSet(1, { image }).spec!.template
    const generation = Number(this.set.metadata.generation ?? 0) + 1
    this.set = { ...this.set, metadata: { ...this.set.metadata, generation }, spec: { ...this.set.spec!, template, ...spec } }
  }

  /** The kubelet's part: a pod that is deleted goes, one that waits starts. */
  tend(index: number): void {
    this.#change(index, (pod) => {
      if (pod.metadata.deletionTimestamp !== undefined) return []
      if (pod.status?.phase === "Failed") return [pod]
      const conditions = [{ type: "Ready", status: "True" as const, lastTransitionTime: formatTime(this.#now) }]
      return [{ ...pod, status: { phase: "Running", conditions } }]
    })
  }

  fail(index: number): void {
    this.#change(index, (pod) => [{ ...pod, status: { phase: "Failed" } }])
  }

  unready(index: number): void {
    const conditions = [{ type: "Ready", status: "False" as const, lastTransitionTime: formatTime(this.#now) }]
    this.#change(index, (pod) => [pod.status?.phase === "Running" ? { ...pod, status: { phase: "Running", conditions } } : pod])
  }

  wait(milliseconds: number): void {
    this.#now += milliseconds
  }

  /** Reconciles until nothing is written any more; false when that never happens. */
  comesToRest(): boolean {
    for (let round = 0; round < 300; round++) {
      for (let index = this.pods.length - 1; index >= 0; index--) this.tend(index)
      this.wait(60_000)
      if (this.look().length === 0 && this.pods.every(({ metadata }) => metadata.deletionTimestamp === undefined)) return true
    }
    return false
  }

  #change(index: number, change: (pod: Pod) => readonly Pod[]): void {
    if (this.pods.length === 0) return
    this.pods = this.pods.flatMap((pod, at) => (at === index % this.pods.length ? change(pod) : [pod]))
  }

  #apply(operation: KubeOperation): void {
    const { object } = operation
    if (operation.do === "status") this.set = { ...this.set, status: operation.status as StatefulSetStatus }
    else if (object.kind === "Pod") this.pods = this.#applyToPods(operation.do, object as Pod)
    else if (object.kind === "ControllerRevision") this.revisions = applied(this.revisions, operation.do, object as ControllerRevision)
    else this.claims = applied(this.claims, operation.do, object as PersistentVolumeClaim)
  }

  #applyToPods(kind: string, pod: Pod): readonly Pod[] {
    const { name } = pod.metadata
    if (kind === "create") {
      if (this.pods.some((one) => isSame(one, pod))) this.doubled.push(name ?? "")
      return [...this.pods, { ...pod, metadata: { ...pod.metadata, uid: `${name}/${this.#made++}` }, status: { phase: "Pending" } }]
    }
    if (kind === "update") return applied(this.pods, kind, pod)
    const deletionTimestamp = formatTime(this.#now)
    return this.pods.map((one) => (isSame(one, pod) ? { ...one, metadata: { ...one.metadata, deletionTimestamp } } : one))
  }
}

function applied<T extends { readonly metadata: { readonly name?: string } }>(all: readonly T[], kind: string, object: T): readonly T[] {
  if (kind === "create") return [...all, object]
  return kind === "update" ? all.map((one) => (isSame(one, object) ? object : one)) : all.filter((one) => !isSame(one, object))
}

function isSame(one: { readonly metadata: { readonly name?: string } }, other: { readonly metadata: { readonly name?: string } }): boolean {
  return one.metadata.name === other.metadata.name
}
