import type { KubeObject } from "@pilothouse/api"
import type { Deployment, DeploymentSpec, ReplicaSet } from "@pilothouse/api/apps/v1"
import type { Plan, Result } from "@pilothouse/runtime"
import { decide } from "../decide.ts"
import { specReplicas } from "../replica-sets.ts"
import { settle } from "../settle.ts"
import { context, deployment, observed, operationsOf, podOf } from "./objects.ts"

/** A ReplicaSet and its pods: true for one that is available. */
interface Standing {
  set: ReplicaSet
  pods: boolean[]
}

/**
 * A Deployment, its ReplicaSets and their pods, in a few lines: what the controllers around the Deployment controller do, one step at a time and in any order.
 * Invariant: the status of a ReplicaSet never counts more available pods than there are. A pod that has become available may not
 * be counted yet.
 */
export class Model {
  deployment: Deployment
  standing: Standing[] = []
  #made = 0

  constructor(replicas: number) {
    this.deployment = deployment(replicas, { progressDeadlineSeconds: 600, revisionHistoryLimit: 2, metadata: { annotations: {} } })
  }

  edit(spec: Partial<DeploymentSpec>, image?: number): void {
    const { metadata } = this.deployment
    const template = image === undefined ? {} : { template: deployment(0, { image }).spec!.template }
    const generation = Number(metadata.generation ?? 0) + 1
    this.deployment = {
      ...this.deployment,
      metadata: { ...metadata, generation },
      spec: { ...this.deployment.spec!, ...spec, ...template },
    }
  }

  /** The ReplicaSet controller makes the number of pods right, those that are not available first to go. */
  syncSet(at: number): void {
    const one = this.#at(at)
    if (one === undefined) return
    one.pods.sort((a, b) => Number(b) - Number(a)).splice(specReplicas(one.set))
    while (one.pods.length < specReplicas(one.set)) one.pods.push(false)
    report(one)
  }

  /** A pod becomes available; its ReplicaSet notices with its next sync. */
  podReady(at: number): void {
    const pods = this.#at(at)?.pods ?? []
    const waiting = pods.indexOf(false)
    if (waiting >= 0) pods[waiting] = true
  }

  podFails(at: number): void {
    const one = this.#at(at)
    const running = one?.pods.indexOf(true) ?? -1
    if (one === undefined || running < 0) return
    one.pods[running] = false
    report(one)
  }

  /** Reconciles the Deployment once; returns what was done. */
  look(): Plan {
    const pods = this.standing.flatMap(({ set, pods }) => pods.map(() => podOf(set, "Running")))
    const seen = observed(
      this.deployment,
      this.standing.map(({ set }) => set),
      { pods },
    )
    const plan = decide(seen, context)
    this.#apply(settle(seen, this.#apply(plan), context))
    return plan
  }

  /** Runs all parts until nothing changes; false when that never happens. */
  comesToRest(): boolean {
    for (let round = 0; round < 100; round++) {
      for (const at of this.standing.keys()) {
        this.syncSet(at)
        this.standing[at]!.pods.fill(true)
        this.syncSet(at)
      }
      if (operationsOf(this.look()).length === 0) return true
    }
    return false
  }

  #at(at: number): Standing | undefined {
    return this.standing.length === 0 ? undefined : this.standing[at % this.standing.length]
  }

  #apply(plan: Plan): readonly Result[] {
    return operationsOf(plan).map((operation) => {
      if (operation.do === "create") return { operation, ok: true, object: this.#create(operation.object as ReplicaSet) }
      if (operation.do === "update") this.#update(operation.object)
      if (operation.do === "status")
        this.deployment = { ...(operation.object as Deployment), status: operation.status as Deployment["status"] }
      if (operation.do === "delete") this.standing = this.standing.filter(({ set }) => set.metadata.uid !== operation.object.metadata.uid)
      return { operation, ok: true }
    })
  }

  #create(object: ReplicaSet): ReplicaSet {
    const number = ++this.#made
    const metadata = {
      ...object.metadata,
      uid: `rs-${number}`,
      generation: 1,
      creationTimestamp: `2026-01-05T08:00:${String(number % 60).padStart(2, "0")}Z`,
    }
    const set: ReplicaSet = { ...object, metadata, status: { replicas: 0 } }
    this.standing.push({ set, pods: [] })
    return set
  }

  #update(object: KubeObject): void {
    for (const one of this.standing) {
      if (one.set.metadata.uid !== object.metadata.uid) continue
      const next = object as ReplicaSet
      const generation = Number(one.set.metadata.generation ?? 0) + Number(specReplicas(next) !== specReplicas(one.set))
      one.set = { ...next, metadata: { ...next.metadata, generation } }
    }
  }
}

function report(one: Standing): void {
  const available = one.pods.filter(Boolean).length
  const { generation: observedGeneration } = one.set.metadata
  const status = {
    replicas: one.pods.length,
    readyReplicas: available,
    availableReplicas: available,
    terminatingReplicas: 0,
    observedGeneration,
  }
  one.set = { ...one.set, status }
}
