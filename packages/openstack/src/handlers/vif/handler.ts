import { namespaces, nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import { type EventHandler, eventHandler, executor, type HandlerEvent, type Reader, RetryAfterError } from "@pilothouse/runtime"
import { type Clock, type Histogram, type Metrics, noMetrics, PilothouseError } from "@pilothouse/seams"
import { PodGone } from "../../drivers/creation/create-refused.ts"
import type { KnownPod } from "../../drivers/pool/found-ports.ts"
import type { PodPortRequest } from "../../drivers/pool/pod-ports.ts"
import type { ClusterView } from "../../drivers/pool/pool-reconciler.ts"
import type { VifPool } from "../../drivers/pool/vif-pool.ts"
import type { ProjectDriver } from "../../drivers/project/project.ts"
import type { SecurityGroupsDriver } from "../../drivers/security-groups/security-groups.ts"
import type { SubnetsDriver } from "../../drivers/subnets/subnets.ts"
import type { PodPort, PodVifDriver } from "../../drivers/vif/pod-vif.ts"
import type { PortStatus } from "../../drivers/vif/port-status.ts"
import { decodeVif } from "../../versioned-objects/annotations.ts"
import type { Vif } from "../../versioned-objects/objects.ts"
import { readAnnotation, vifAnnotation } from "../annotations.ts"
import { conditionTypes, withCondition } from "../fault-conditions.ts"
import { decideIfObserved, type ObserveResult, observeErrorExecutors, observeOrError } from "../observe-errors.ts"
import type { Ownership } from "../ownership.ts"
import { decideGone, decideVif, type EnsurePort, isFinished, type ReleasePort, settleVif, type VifObserved } from "./decide.ts"

export interface VifHandlerOptions {
  readonly ownership: Ownership
  readonly project: ProjectDriver
  readonly subnets: SubnetsDriver
  readonly groups: SecurityGroupsDriver
  readonly driver: PodVifDriver
  readonly pool: VifPool
  readonly status: PortStatus
  readonly presence: PortStatus
  readonly ovsBridge?: string
  readonly dryRun?: boolean
  readonly clock: Clock
  readonly metrics?: Metrics
}

/**
 * Pods as Neutron ports: a pod with a node gets a port, which is written on it as kuryr's CNI plugin reads it; the port goes with the pod.
 * Watches Pods; writes one annotation: with the port, and once more when the port is active; and a condition where something is wrong.
 * Ports of pods that were deleted while no controller ran are found at the start.
 */
export function vifHandler(options: VifHandlerOptions): EventHandler {
  const { pool, clock, metrics = noMetrics } = options
  const waiting = new WaitingPods(clock, metrics)
  const handler: EventHandler<Pod, ObserveResult<VifObserved>> = {
    name: "vif",
    of: pods,
    reads: [namespaces, nodes],
    eventSource: "kuryr-controller",
    sources: [pool.background],
    executors: [
      executor<EnsurePort>("ensure-port", ({ request }, signal) => ensurePort(options, request, signal)),
      executor<ReleasePort>("release-port", ({ pod }, signal) => pool.release(pod, signal)),
      ...observeErrorExecutors,
    ],
    observe: (event, read, signal) =>
      observeOrError(event, { dryRun: options.dryRun, signal }, () => observe(event, read, { ...options, waiting }, signal)),
    onPresent: decideIfObserved("KuryrPortFailed", decideVif),
    onDeleted: decideIfObserved("KuryrPortFailed", decideGone),
    settle: (event, found, results) => settleVif(event, "observed" in found ? found.observed : {}, results),
  }
  return eventHandler(withCondition(conditionTypes.vif, handler))
}

type Remembering = VifHandlerOptions & { readonly waiting: WaitingPods }

async function observe(event: HandlerEvent<Pod>, read: Reader, options: Remembering, signal: AbortSignal): Promise<VifObserved> {
  const { pool, driver, ovsBridge } = options
  const { object: pod } = event
  const vif = readAnnotation(pod, vifAnnotation, decodeVif)
  const skip = pod.spec?.hostNetwork ? "the pod uses the network of its node" : whySkipped(event, read, options)
  const known = { vif, skipReason: skip, ovsBridge, activeAtOnce: driver.activeAtOnce }
  const request = portRequest(pod, read, options)
  if (skip !== undefined) return { ...known, request, hasPort: false }
  const waitingFor = options.waiting.record(event, vif.value?.active === true || isFinished(pod))
  await pool.load(clusterView(read, options.ownership), signal)
  const network = await options.subnets.subnetsFor(pod, { signal })
  const inCloud = vif.value === undefined ? {} : await observePort(vif.value, event, options)
  const whole = { ...request, network: network.network.id, subnets: network.subnets.map(({ id }) => id) }
  return { ...known, ...inCloud, request: whole, network, waitingFor, hasPort: pool.podPort(request.pod.uid) !== undefined }
}

/** What becomes of the port of a VIF: asked until it is active, and from then on from time to time. */
async function observePort(
  { id, active }: Vif,
  { type, object: pod }: HandlerEvent<Pod>,
  { pool, driver, status, presence }: VifHandlerOptions,
): Promise<Pick<VifObserved, "port" | "nextPoll" | "isLost" | "isCopied">> {
  const { uid = "" } = pod.metadata
  const isCopied = pool.belongsToOther(id, uid)
  if (type === "deleted" || driver.activeAtOnce || isFinished(pod)) return { isCopied }
  if (!active) return { isCopied, port: await status.of(id, pool.isNew(uid)), nextPoll: status.nextPoll(id) }
  return { isCopied, isLost: type === "present" && (await presence.of(id, false)) === undefined }
}

/** What its port has to be like, but for the network. */
function portRequest(pod: Pod, read: Reader, { project, groups }: VifHandlerOptions): PodPortRequest {
  const { uid = "", namespace = "", name = "" } = pod.metadata
  return {
    pod: { uid, namespace, name },
    node: pod.spec?.nodeName ?? "",
    hostIp: pod.status?.hostIP ?? nodeAddress(read, pod.spec?.nodeName),
    project: project.projectFor(pod),
    groups: groups.groupsFor(pod, read.get(namespaces, namespace)),
    network: "",
    subnets: [],
  }
}

/** The namespace of a deleted pod may be deleted too, with the labels that selected it: a port that the pod got here is released here. */
function whySkipped({ type, object: pod }: HandlerEvent<Pod>, read: Reader, { ownership, pool }: VifHandlerOptions): string | undefined {
  const { uid = "" } = pod.metadata
  return type === "deleted" && pool.podPort(uid) !== undefined ? undefined : whyNotOwned(pod, read, ownership)
}

function whyNotOwned(pod: Pod, read: Reader, ownership: Ownership): string | undefined {
  const { namespace = "" } = pod.metadata
  const node = pod.spec?.nodeName === undefined ? undefined : read.get(nodes, pod.spec.nodeName)
  return ownership.namespace(read.get(namespaces, namespace)) ?? ownership.pod(pod) ?? (node && ownership.node(node))
}

function nodeAddress(read: Reader, name: string | undefined): string {
  const node = name === undefined ? undefined : read.get(nodes, name)
  return node?.status?.addresses?.find(({ type }) => type === "InternalIP")?.address ?? ""
}

function clusterView(read: Reader, ownership: Ownership): ClusterView {
  return {
    pods: () => knownPods(read, ownership),
    exists: ({ uid, namespace, name }) => read.get(pods, `${namespace}/${name}`)?.metadata.uid === uid,
    nodes: () =>
      read.list(nodes).map(({ metadata, status }) => ({
        name: metadata.name ?? "",
        // Other types do not identify its ports: a node that has published only its host name has not published its address.
        addresses: status?.addresses?.filter(({ type }) => type === "InternalIP").map(({ address }) => address) ?? [],
      })),
  }
}

/** Every pod: at the start, and where a port would be taken away. */
function knownPods(read: Reader, ownership: Ownership): readonly KnownPod[] {
  return read
    .list(pods)
    .filter((pod) => !isFinished(pod))
    .map((pod) => ({
      uid: pod.metadata.uid ?? "",
      port: readAnnotation(pod, vifAnnotation, decodeVif).value?.id,
      isServed: whyNotOwned(pod, read, ownership) === undefined,
    }))
}

/** Returns the port of a pod; undefined where the pod was deleted meanwhile. An unusable port is deleted: the next reconcile requests another. */
export async function ensurePort(
  { pool, driver }: { readonly pool: Pick<VifPool, "request" | "release" | "isCreating">; readonly driver: PodVifDriver },
  request: PodPortRequest,
  signal: AbortSignal,
): Promise<PodPort | undefined> {
  const port = await pool.request(request, signal).catch((error: unknown) => {
    if (!(error instanceof PodGone)) throw error
  })
  if (port === undefined) return undefined
  const useless = driver.unusableReason?.(port)
  if (useless === undefined) return port
  // It was found before the call that makes it was answered: Neutron binds what it has made only then.
  if (pool.isCreating(request.pod.uid)) throw new RetryAfterError("10s", useless)
  // First in the cloud: a pool would keep it for the next pod.
  await driver.remove([port], signal)
  await pool.release(request.pod, signal)
  throw new PilothouseError("CLOUD", useless)
}

/** Seconds. kuryr's begin at 10. */
const buckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120]

/**
 * How long pods wait for an active VIF, from when they have a node.
 * Invariant: #since has the pods that were seen with a node and without an active VIF, and not since seen otherwise.
 */
class WaitingPods {
  readonly #clock: Clock
  readonly #latency: Histogram
  readonly #since = new Map<string, number>()

  constructor(clock: Clock, metrics: Metrics) {
    this.#clock = clock
    this.#latency = metrics.histogram({ name: "kuryr_pod_creation_latency", help: "Seconds from a pod's node to its active VIF.", buckets })
  }

  /** Milliseconds that the pod has waited; undefined: it waits for nothing. */
  record({ type, object: { metadata, spec } }: HandlerEvent<Pod>, isActive: boolean): number | undefined {
    const { uid = "" } = metadata
    const now = this.#clock.elapsed()
    const since = this.#since.get(uid)
    if (type === "deleted" || isActive || !spec?.nodeName) {
      this.#since.delete(uid)
      if (isActive && type !== "deleted" && since !== undefined) this.#latency.observe((now - since) / 1000)
      return undefined
    }
    if (since === undefined) this.#since.set(uid, now)
    return now - (since ?? now)
  }
}
