import { namespaces, nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import { type EventHandler, eventHandler, executor, type HandlerEvent, type Reader } from "@pilothouse/runtime"
import { type Clock, type Metrics, noMetrics } from "@pilothouse/seams"
import type { KnownPod } from "../../drivers/found-ports.ts"
import type { PodWish } from "../../drivers/pod-ports.ts"
import type { PodVifDriver } from "../../drivers/pod-vif.ts"
import type { ClusterView } from "../../drivers/pool-upkeep.ts"
import type { PortStatus } from "../../drivers/port-status.ts"
import type { ProjectDriver } from "../../drivers/project.ts"
import type { SecurityGroupsDriver } from "../../drivers/security-groups.ts"
import type { SubnetsDriver } from "../../drivers/subnets.ts"
import type { VifPool } from "../../drivers/vif-pool.ts"
import { decodeVif } from "../../versioned-objects/annotations.ts"
import type { Vif } from "../../versioned-objects/objects.ts"
import { readAnnotation, vifAnnotation } from "../annotations.ts"
import { conditionOf, withCondition } from "../fault-conditions.ts"
import type { Ours } from "../ours.ts"
import { outOfReach, type Reached, reached, unlessUnread } from "../out-of-reach.ts"
import { decideGone, decideVif, type EnsurePort, isFinished, type ReleasePort, settleVif, type VifObserved } from "./decide.ts"
import { ensurePort } from "./ensure-port.ts"
import { WaitingPods } from "./waiting-pods.ts"

export interface VifHandlerOptions {
  readonly ours: Ours
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
 * What pods left behind while nobody looked is found at the start.
 */
export function vifHandler(options: VifHandlerOptions): EventHandler {
  const { pool, clock, metrics = noMetrics } = options
  const waiting = new WaitingPods(clock, metrics)
  const handler: EventHandler<Pod, Reached<VifObserved>> = {
    name: "vif",
    of: pods,
    reads: [namespaces, nodes],
    eventSource: "kuryr-controller",
    sources: [pool.background],
    executors: [
      executor<EnsurePort>("ensure-port", ({ wish }, signal) => ensurePort(options, wish, signal)),
      executor<ReleasePort>("release-port", ({ pod }, signal) => pool.release(pod, signal)),
      ...outOfReach,
    ],
    observe: (event, read, signal) =>
      reached(event, { dryRun: options.dryRun, signal }, () => observe(event, read, { ...options, waiting }, signal)),
    onPresent: unlessUnread("KuryrPortFailed", decideVif),
    onDeleted: unlessUnread("KuryrPortFailed", decideGone),
    settle: (event, found, results) => settleVif(event, "observed" in found ? found.observed : {}, results),
  }
  return eventHandler(withCondition(conditionOf.vif, handler))
}

type Remembering = VifHandlerOptions & { readonly waiting: WaitingPods }

async function observe(event: HandlerEvent<Pod>, read: Reader, options: Remembering, signal: AbortSignal): Promise<VifObserved> {
  const { pool, driver, ovsBridge } = options
  const { object: pod } = event
  const vif = readAnnotation(pod, vifAnnotation, decodeVif)
  const skip = pod.spec?.hostNetwork ? "the pod uses the network of its node" : whyNotOurs(event, read, options)
  const known = { vif, notOurs: skip, ovsBridge, activeAtOnce: driver.activeAtOnce }
  const wish = wishOf(pod, read, options)
  if (skip !== undefined) return { ...known, wish, hasPort: false }
  const waitingFor = options.waiting.saw(event, vif.value?.active === true || isFinished(pod))
  await pool.load(viewOf(read, options.ours), signal)
  const network = await options.subnets.subnetsOf(pod, { signal })
  const inCloud = vif.value === undefined ? {} : await askFor(vif.value, event, options)
  const whole = { ...wish, network: network.network.id, subnets: network.subnets.map(({ id }) => id) }
  return { ...known, ...inCloud, wish: whole, network, waitingFor, hasPort: pool.portOf(wish.pod.uid) !== undefined }
}

/** What becomes of the port of a VIF: asked until it is active, and from then on from time to time. */
async function askFor(
  { id, active }: Vif,
  { type, object: pod }: HandlerEvent<Pod>,
  { pool, driver, status, presence }: VifHandlerOptions,
): Promise<Pick<VifObserved, "port" | "nextLook" | "isLost" | "isCopied">> {
  const { uid = "" } = pod.metadata
  const isCopied = pool.isAnothers(id, uid)
  if (type === "deleted" || driver.activeAtOnce || isFinished(pod)) return { isCopied }
  if (!active) return { isCopied, port: await status.of(id, pool.isNew(uid)), nextLook: status.nextLook(id) }
  return { isCopied, isLost: type === "present" && (await presence.of(id, false)) === undefined }
}

/** What its port has to be like, but for the network. */
function wishOf(pod: Pod, read: Reader, { project, groups }: VifHandlerOptions): PodWish {
  const { uid = "", namespace = "", name = "" } = pod.metadata
  return {
    pod: { uid, namespace, name },
    node: pod.spec?.nodeName ?? "",
    hostIp: pod.status?.hostIP ?? addressOf(read, pod.spec?.nodeName),
    project: project.projectOf(pod),
    groups: groups.groupsOf(pod, read.get(namespaces, namespace)),
    network: "",
    subnets: [],
  }
}

/** Of a pod that is gone the namespace may be gone too, with the labels that said whose it is: what it was given here is ours to take back. */
function whyNotOurs({ type, object: pod }: HandlerEvent<Pod>, read: Reader, { ours, pool }: VifHandlerOptions): string | undefined {
  const { uid = "" } = pod.metadata
  return type === "deleted" && pool.portOf(uid) !== undefined ? undefined : whyAnothers(pod, read, ours)
}

function whyAnothers(pod: Pod, read: Reader, ours: Ours): string | undefined {
  const { namespace = "" } = pod.metadata
  const node = pod.spec?.nodeName === undefined ? undefined : read.get(nodes, pod.spec.nodeName)
  return ours.namespace(read.get(namespaces, namespace)) ?? ours.pod(pod) ?? (node && ours.node(node))
}

function addressOf(read: Reader, name: string | undefined): string {
  const node = name === undefined ? undefined : read.get(nodes, name)
  return node?.status?.addresses?.find(({ type }) => type === "InternalIP")?.address ?? ""
}

function viewOf(read: Reader, ours: Ours): ClusterView {
  return {
    pods: () => knownPods(read, ours),
    exists: ({ uid, namespace, name }) => read.get(pods, `${namespace}/${name}`)?.metadata.uid === uid,
    nodes: () =>
      read.list(nodes).map(({ metadata, status }) => ({
        name: metadata.name ?? "",
        // Others are none by which its ports are known: a node that has told only its host name has not told its address.
        addresses: status?.addresses?.filter(({ type }) => type === "InternalIP").map(({ address }) => address) ?? [],
      })),
  }
}

/** Every pod: at the start, and where a port would be taken away. */
function knownPods(read: Reader, ours: Ours): readonly KnownPod[] {
  return read
    .list(pods)
    .filter((pod) => !isFinished(pod))
    .map((pod) => ({
      uid: pod.metadata.uid ?? "",
      port: readAnnotation(pod, vifAnnotation, decodeVif).value?.id,
      isOurs: whyAnothers(pod, read, ours) === undefined,
    }))
}
