import { amountValue, parseQuantity, parseResources } from "@pilothouse/api"
import type { Node, Taint } from "@pilothouse/api/core/v1"
import { HostPorts } from "../pod/host-ports.ts"
import type { PodFacts } from "../pod/pod-facts.ts"
import type { Amounts, ResourceSlots } from "../pod/resource-slots.ts"
import { count } from "./count.ts"

/** A node as filters and scores see it. */
export interface NodeView {
  readonly name: string
  readonly node: Node
  readonly labels: Readonly<Record<string, string>>
  readonly taints: readonly Taint[]
  readonly isCordoned: boolean
  /** Bytes of those that it has, by each of their names. */
  readonly images: ReadonlyMap<string, number>
  readonly allocatable: Amounts
  readonly allowedPods: number
  readonly requested: Amounts
  readonly nonZeroRequested: readonly [cpu: number, memory: number]
  readonly ports: Pick<HostPorts, "areFree">
  readonly podCount: number
  pods(): Iterable<PodFacts>
  /** Of its pods, each once. */
  claims(): Iterable<string>
}

/**
 * A node and the sums of what its pods take.
 * Invariant between calls: requested, nonZeroRequested, ports and #claims are the sums over #pods.
 */
export class NodeState implements NodeView {
  readonly name: string
  readonly ports = new HostPorts()
  readonly requested: number[] = [0, 0, 0]
  readonly nonZeroRequested: [number, number] = [0, 0]
  allocatable: Amounts = []
  allowedPods = 0
  labels: NodeView["labels"] = {}
  taints: readonly Taint[] = []
  isCordoned = false
  images: NodeView["images"] = new Map()
  readonly #pods = new Map<string, PodFacts>()
  /** How many of them use each claim. */
  readonly #claims = new Map<string, number>()
  #node: Node | undefined

  constructor(name: string) {
    this.name = name
  }

  /** Pods may be observed before their node, and stay for a while after it is deleted. */
  get isThere(): boolean {
    return this.#node !== undefined
  }

  get node(): Node {
    return this.#node ?? { apiVersion: "v1", kind: "Node", metadata: { name: this.name } }
  }

  get podCount(): number {
    return this.#pods.size
  }

  get isEmpty(): boolean {
    return !this.isThere && this.#pods.size === 0
  }

  pods(): Iterable<PodFacts> {
    return this.#pods.values()
  }

  claims(): Iterable<string> {
    return this.#claims.keys()
  }

  set(node: Node | undefined, slots: ResourceSlots): void {
    this.#node = node
    const { pods, ...allocatable } = node?.status?.allocatable ?? {}
    this.allocatable = slots.amountsOf(parseResources(allocatable))
    this.allowedPods = amountValue(parseQuantity(pods ?? "0"))
    this.labels = node?.metadata.labels ?? {}
    this.taints = node?.spec?.taints ?? []
    this.isCordoned = node?.spec?.unschedulable ?? false
    this.images = imageSizes(node?.status)
  }

  add(pod: PodFacts): void {
    this.#pods.set(pod.uid, pod)
    this.ports.add(pod.ports)
    this.#sum(pod, 1)
  }

  remove(pod: PodFacts): void {
    if (!this.#pods.delete(pod.uid)) return
    this.ports.remove(pod.ports)
    this.#sum(pod, -1)
  }

  /** Beyond 2^53 a sum is rounded, and taking the large part away again would leave another one: then it is made from the pods. */
  #requestedWith(slot: number, change: number): number {
    const before = this.requested[slot] ?? 0
    const sum = before + change
    if (Number.isSafeInteger(before) && Number.isSafeInteger(sum)) return sum
    return [...this.#pods.values()].reduce((total, { requests }) => total + (requests[slot] ?? 0), 0)
  }

  #sum({ requests, nonZeroRequests, claims }: PodFacts, sign: 1 | -1): void {
    for (const claim of claims) count(this.#claims, claim, sign)
    for (const [slot, amount] of requests.entries()) this.requested[slot] = this.#requestedWith(slot, sign * amount)
    this.nonZeroRequested[0] += sign * nonZeroRequests[0]
    this.nonZeroRequested[1] += sign * nonZeroRequests[1]
  }
}

function imageSizes(status: Node["status"]): NodeView["images"] {
  return new Map(
    (status?.images ?? []).flatMap(({ names, sizeBytes = 0 }) => (names ?? []).map((name) => [name, Number(sizeBytes)] as const)),
  )
}
