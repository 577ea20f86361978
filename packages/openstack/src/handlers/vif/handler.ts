import { namespaces, nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import { type EventHandler, eventHandler, executor, type HandlerEvent, type Reader } from "@pilothouse/runtime"
import type { KnownPod } from "../../drivers/found-ports.ts"
import type { PodVifDriver } from "../../drivers/pod-vif.ts"
import type { PortStatus } from "../../drivers/port-status.ts"
import type { ProjectDriver } from "../../drivers/project.ts"
import type { SecurityGroupsDriver } from "../../drivers/security-groups.ts"
import type { SubnetsDriver } from "../../drivers/subnets.ts"
import type { PodWish, VifPool } from "../../drivers/vif-pool.ts"
import { decodeVif } from "../../versioned-objects/annotations.ts"
import { readAnnotation, vifAnnotation } from "../annotations.ts"
import type { Ours } from "../ours.ts"
import { decideGone, decideVif, type EnsurePort, isFinished, type ReleasePort, settleVif, type VifObserved } from "./decide.ts"

export interface VifHandlerOptions {
  readonly ours: Ours
  readonly project: ProjectDriver
  readonly subnets: SubnetsDriver
  readonly groups: SecurityGroupsDriver
  readonly driver: PodVifDriver
  readonly pool: VifPool
  readonly status: PortStatus
  readonly ovsBridge?: string
}

/**
 * Pods as Neutron ports: a pod with a node gets a port, which is written on it as kuryr's CNI plugin reads it; the port goes with the pod.
 * Watches Pods; writes one annotation: with the port, and once more when the port is active. What pods left behind while nobody looked is found at the start.
 */
export function vifHandler(options: VifHandlerOptions): EventHandler {
  const { pool } = options
  return eventHandler<Pod, VifObserved>({
    name: "vif",
    of: pods,
    reads: [namespaces, nodes],
    eventSource: "kuryr-controller",
    alarms: [pool.background],
    executors: [
      executor<EnsurePort>("ensure-port", ({ wish }, signal) => pool.request(wish, signal)),
      executor<ReleasePort>("release-port", ({ pod }, signal) => pool.release(pod, signal)),
    ],
    observe: (event, read, signal) => observe(event, read, options, signal),
    onPresent: decideVif,
    onDeleted: decideGone,
    settle: settleVif,
  })
}

async function observe(event: HandlerEvent<Pod>, read: Reader, options: VifHandlerOptions, signal: AbortSignal): Promise<VifObserved> {
  const { pool, driver, ours, ovsBridge } = options
  const { object: pod } = event
  const vif = readAnnotation(pod, vifAnnotation, decodeVif)
  const skip = pod.spec?.hostNetwork ? "the pod uses the network of its node" : whyNotOurs(pod, read, ours)
  const known = { vif, notOurs: skip, ovsBridge, activeAtOnce: driver.activeAtOnce }
  const wish = wishOf(pod, read, options)
  if (skip !== undefined) return { ...known, wish, hasPort: false }
  await pool.load(() => knownPods(read), signal)
  const network = await options.subnets.subnetsOf(pod, { signal })
  const needsPort = event.type !== "deleted" && vif.value !== undefined && !vif.value.active && !driver.activeAtOnce && !isFinished(pod)
  const port = needsPort ? await options.status.of(vif.value.id) : undefined
  const whole = { ...wish, network: network.network.id, subnets: network.subnets.map(({ id }) => id) }
  return { ...known, wish: whole, network, port, hasPort: pool.portOf(wish.pod.uid) !== undefined }
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

function whyNotOurs(pod: Pod, read: Reader, ours: Ours): string | undefined {
  const { namespace = "" } = pod.metadata
  const node = pod.spec?.nodeName === undefined ? undefined : read.get(nodes, pod.spec.nodeName)
  return ours.namespace(read.get(namespaces, namespace)) ?? ours.pod(pod) ?? (node && ours.node(node))
}

function addressOf(read: Reader, name: string | undefined): string {
  const node = name === undefined ? undefined : read.get(nodes, name)
  return node?.status?.addresses?.find(({ type }) => type === "InternalIP")?.address ?? ""
}

/** Every pod, once, at the start. */
function knownPods(read: Reader): readonly KnownPod[] {
  return read
    .list(pods)
    .filter((pod) => !isFinished(pod))
    .map((pod) => ({ uid: pod.metadata.uid ?? "", port: readAnnotation(pod, vifAnnotation, decodeVif).value?.id }))
}
