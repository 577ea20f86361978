import { formatTime } from "@pilothouse/api"
import type { ControllerRevision, DaemonSet, DaemonSetStatus } from "@pilothouse/api/apps/v1"
import type { Node, Pod } from "@pilothouse/api/core/v1"
import type { Operation } from "@pilothouse/runtime"
import { targetNode } from "../daemon-pod.ts"
import { decide } from "../decide.ts"
import { FailedPods, type RememberFailure } from "../failed-pods.ts"
import { daemonSet, node, now, operationsOf, proposalFor } from "./objects.ts"

/** A DaemonSet, nodes and pods, and the controller: its plans are applied at once, everything else happens on request. */
export class Model {
  #now = now
  #made = 0
  readonly #failed = new FailedPods()
  owner: DaemonSet = daemonSet()
  nodes: readonly Node[]
  pods: readonly Pod[] = []
  revisions: readonly ControllerRevision[] = []

  constructor(count: number) {
    this.nodes = Array.from({ length: count }, (_, index) => node(`node-${index}`))
  }

  /** Reconciles once; returns the number of writes. */
  look(): number {
    const observed = {
      daemonSet: this.owner,
      nodes: this.nodes,
      pods: this.pods,
      revisions: this.revisions,
      proposal: proposalFor(this.owner),
      claims: [],
      backoffs: new Map(
        this.nodes.flatMap(({ metadata: { name = "" } }) => {
          const backoff = this.#failed.of(this.owner, name)
          return backoff === undefined ? [] : [[name, backoff] as const]
        }),
      ),
    }
    const operations = operationsOf(decide(observed, { now: this.#now }))
    for (const operation of operations) this.#apply(operation)
    return operations.length
  }

  wait(milliseconds: number): void {
    this.#now += milliseconds
  }

  edit(spec: Partial<NonNullable<DaemonSet["spec"]>>, image?: number): void {
    const template = image === undefined ? this.owner.spec!.template : daemonSet({ image }).spec!.template
    const generation = Number(this.owner.metadata.generation ?? 0) + 1
    this.owner = { ...this.owner, metadata: { ...this.owner.metadata, generation }, spec: { ...this.owner.spec!, template, ...spec } }
  }

  taint(index: number, effect?: "NoSchedule" | "NoExecute"): void {
    const taints = effect && [{ key: "dedicated", effect }]
    this.nodes = this.nodes.map((one, at) => (at === index % this.nodes.length ? { ...one, spec: { taints } } : one))
  }

  /** The kubelet's part: a pod that is deleted goes, one that waits starts. */
  tend(index: number): void {
    this.#change(index, (pod) => {
      if (pod.metadata.deletionTimestamp !== undefined) return []
      if (pod.status?.phase === "Failed") return [pod]
      const status = {
        phase: "Running" as const,
        conditions: [{ type: "Ready", status: "True" as const, lastTransitionTime: this.#time() }],
      }
      return [{ ...pod, spec: { ...pod.spec!, nodeName: targetNode(pod) }, status }]
    })
  }

  fail(index: number): void {
    this.#change(index, (pod) => [{ ...pod, status: { phase: "Failed" } }])
  }

  /** Runs all parts until nothing is written any more; false when that never happens. */
  comesToRest(): boolean {
    for (let round = 0; round < 300; round++) {
      for (let index = this.pods.length - 1; index >= 0; index--) this.tend(index)
      this.wait(15 * 60_000)
      if (this.look() === 0 && this.pods.every(({ metadata }) => metadata.deletionTimestamp === undefined)) return true
    }
    return false
  }

  #change(index: number, change: (pod: Pod) => readonly Pod[]): void {
    if (this.pods.length === 0) return
    this.pods = this.pods.flatMap((pod, at) => (at === index % this.pods.length ? change(pod) : [pod]))
  }

  #time(): string {
    return formatTime(this.#now)
  }

  #apply(operation: Operation): void {
    if (!("object" in operation)) return void (operation.do === "remember-failure" && this.#failed.remember(operation as RememberFailure))
    const { object } = operation
    if (operation.do === "status") this.owner = { ...this.owner, status: operation.status as DaemonSetStatus }
    else if (object.kind === "Pod") this.#applyToPod(operation.do, object as Pod)
    else if (operation.do === "create") this.revisions = [...this.revisions, { ...(object as ControllerRevision) }]
    else if (operation.do === "update")
      this.revisions = this.revisions.map((one) => (isSame(one, object) ? (object as ControllerRevision) : one))
    else if (operation.do === "delete") this.revisions = this.revisions.filter((one) => !isSame(one, object))
  }

  #applyToPod(kind: string, pod: Pod): void {
    const deletionTimestamp = this.#time()
    const name = `pod-${this.#made++}`
    const made = {
      ...pod,
      metadata: { ...pod.metadata, name, uid: name, creationTimestamp: this.#time() },
      status: { phase: "Pending" as const },
    }
    if (kind === "create") this.pods = [...this.pods, made]
    else this.pods = this.pods.map((one) => (isSame(one, pod) ? { ...one, metadata: { ...one.metadata, deletionTimestamp } } : one))
  }
}

function isSame(one: { readonly metadata: { readonly name?: string } }, other: { readonly metadata: { readonly name?: string } }): boolean {
  return one.metadata.name === other.metadata.name
}
