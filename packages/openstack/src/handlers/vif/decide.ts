import type { Pod } from "@pilothouse/api/core/v1"
import { type CustomOperation, type HandlerEvent, type Plan, plan, type Result } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import type { PodPortRequest } from "../../drivers/pool/pod-ports.ts"
import type { NetworkSubnets } from "../../drivers/subnets/subnets.ts"
import type { PodPort } from "../../drivers/vif/pod-vif.ts"
import type { PortState } from "../../drivers/vif/port-status.ts"
import { encodeVif } from "../../versioned-objects/annotations.ts"
import type { Vif } from "../../versioned-objects/objects.ts"
import { pythonJson } from "../../versioned-objects/python-json.ts"
import { bridgedVif, macvlanVif, vlanVif } from "../../versioned-objects/vif-from-port.ts"
import { type Annotated, annotate, unlessGone, vifAnnotation } from "../annotations.ts"
import { observeErrorEvent, unreadableAnnotation } from "../observe-errors.ts"

export interface EnsurePort extends CustomOperation {
  readonly do: "ensure-port"
  readonly request: PodPortRequest
}

export interface ReleasePort extends CustomOperation {
  readonly do: "release-port"
  readonly pod: PodPortRequest["pod"]
}

/** A pod's VIF annotation, its port request, and the port that it has. */
export interface VifObserved {
  /** Why the pod is skipped; undefined: it is served. */
  readonly skipReason?: string
  readonly vif: Annotated<Vif>
  readonly request: PodPortRequest
  readonly network?: NetworkSubnets
  /** The port of a VIF that is not active yet; undefined where it is, or there is none. */
  readonly port?: PortState
  /** The port of an active VIF is gone from the cloud. Looked for from time to time. */
  readonly isLost?: boolean
  /** How soon a port is looked at again that is not active yet, in milliseconds. */
  readonly nextPoll?: number
  readonly ovsBridge?: string
  /** The port of its VIF is another pod's: the annotation was copied with the rest of that pod. */
  readonly isCopied?: boolean
  /** It has a port, whatever its annotation says. */
  readonly hasPort: boolean
  readonly activeAtOnce: boolean
  /** Milliseconds that the pod has waited for an active VIF. */
  readonly waitingFor?: number
}

/** Milliseconds until the next poll of a port where no better estimate is known, and the longest of them. */
const [firstPoll, maxPoll] = [250, 30_000]
/** An agent that is alive needs a moment: after so many milliseconds its operator has to intervene. */
const tooLong = 60_000

/** Pure: a pod that has a node and no VIF gets one; one that is done gives it back. */
export function decideVif(event: HandlerEvent<Pod>, observed: VifObserved): Plan {
  const { object: pod } = event
  const { skipReason, vif, request } = observed
  if (pod.spec?.hostNetwork) return plan().nothing("the pod uses the network of its node")
  if (skipReason !== undefined) return plan().nothing(skipReason)
  if (isFinished(pod)) return releaseFinished(pod, observed)
  if (vif.error !== undefined) return unreadableAnnotation(event, vif.error)
  if (vif.value !== undefined && observed.isCopied && !hasBegun(pod)) return withoutCopy(pod, vif.value)
  if (vif.value !== undefined) return activate(pod, vif.value, observed)
  if (!pod.spec?.nodeName) return plan().nothing("the pod has no node yet").waitFor("the scheduler")
  if (hasBegun(pod)) return plan().nothing(`the pod is ${pod.status?.phase} without us`)
  const operation: EnsurePort = {
    do: "ensure-port",
    to: podKey(request),
    reason: `it runs on ${request.node} and has no port`,
    request,
  }
  return plan().operation(operation)
}

/** Plans to write the VIF of a port onto its pod. */
export function settleVif(
  event: HandlerEvent<Pod>,
  { network, ovsBridge, activeAtOnce }: Partial<VifObserved>,
  results: readonly Result[],
): Plan {
  const { object: pod } = event
  const observeError = observeErrorEvent(event, "KuryrPortFailed", results)
  if (observeError !== undefined) return observeError
  const made = results.find(({ operation }) => operation.do === "ensure-port")
  if (made?.ok === false) return plan().event(pod, "Warning", "KuryrPortFailed", `no port for the pod: ${messageOf(made.error)}`)
  if (made?.ok !== true || made.value === undefined || network === undefined) return plan()
  const { port, vlanId } = made.value as PodPort
  const text = vifText({ port, vlanId, network, ovsBridge, activeAtOnce: activeAtOnce === true })
  // The write comes back as an event, and its reconcile reads whether the port is active.
  return plan().patch(pod, annotate(pod, { [vifAnnotation]: text }), `its port is ${port.id}`, unlessGone)
}

/** Pure: a pod that is gone. */
export function decideGone({ object: pod }: HandlerEvent<Pod>, { skipReason, request }: VifObserved): Plan {
  if (pod.spec?.hostNetwork) return plan().nothing("the pod used the network of its node")
  if (skipReason !== undefined) return plan().nothing(skipReason)
  return plan().operation(release(request, "the pod is gone"))
}

function activate(pod: Pod, vif: Vif, observed: VifObserved): Plan {
  const { port, activeAtOnce, vif: annotated, request } = observed
  if (vif.active) return observed.isLost ? lost(pod, vif) : plan().nothing("its VIF is active")
  if (port === undefined && !activeAtOnce) {
    const message = `the port ${vif.id} of the pod is gone from the cloud; another is made`
    // Released first: a request for the pod's port would return the same one again.
    return plan()
      .operation(release(request, message))
      .nextStep()
      .patch(pod, annotate(pod, { [vifAnnotation]: null }), message, unlessGone)
      .event(pod, "Warning", "KuryrPortGone", message)
  }
  if (port?.status !== "ACTIVE" && !activeAtOnce) return waitForAgent(pod, `the port ${vif.id} is ${port?.status}`, observed)
  return plan().patch(pod, annotate(pod, { [vifAnnotation]: activated(annotated.text!) }), `the port ${vif.id} is ACTIVE`, unlessGone)
}

/** Before its node plugs it in: two pods with one port would have one address. */
function withoutCopy(pod: Pod, { id }: Vif): Plan {
  const message = `the annotation ${vifAnnotation} was copied from another pod, whose port ${id} is; the pod gets one of its own`
  return plan()
    .patch(pod, annotate(pod, { [vifAnnotation]: null }), message, unlessGone)
    .event(pod, "Warning", "KuryrVifCopied", message)
}

function hasBegun({ status }: Pod): boolean {
  return status?.phase !== undefined && status.phase !== "Pending"
}

/** A pod that runs cannot be given another port: its address would be another. */
function lost(pod: Pod, { id }: Vif): Plan {
  const message = `the port ${id} of the pod is gone from the cloud, and with it its network; delete the pod: the next one gets a port of its own`
  return plan().nothing(message, { stuck: true }).event(pod, "Warning", "KuryrPortGone", message)
}

function waitForAgent(pod: Pod, why: string, { nextPoll, waitingFor = 0 }: VifObserved): Plan {
  const next = nextPoll ?? Math.min(maxPoll, Math.max(firstPoll, waitingFor / 10))
  const made = plan().nothing(why).waitFor("the agent of its node").requeueAfter(next, why)
  if (waitingFor < tooLong) return made
  const node = pod.spec?.nodeName
  const help = `\`openstack network agent list --host ${node}\` has to show an agent that is alive`
  // The same message at every reconcile: events are aggregated, and the condition is written once.
  return made.event(pod, "Warning", "KuryrPortNotActive", `${why}, more than a minute after the pod came to ${node}; ${help}`)
}

/** A pod that finished and is not deleted must not keep an address. Nothing is written on one that is being deleted. */
function releaseFinished(pod: Pod, { vif, hasPort, request }: VifObserved): Plan {
  const written = vif.text !== undefined && pod.metadata.deletionTimestamp === undefined
  if (!written && !hasPort) return plan().nothing("the pod is done and has no port")
  const made = plan()
    .operation(release(request, `the pod is ${pod.status?.phase}`))
    .nextStep()
  return written ? made.patch(pod, annotate(pod, { [vifAnnotation]: null }), "its port was released", unlessGone) : made
}

function release({ pod }: PodPortRequest, reason: string): ReleasePort {
  return { do: "release-port", to: `${pod.namespace}/${pod.name}`, reason, pod }
}

function podKey({ pod }: PodPortRequest): string {
  return `${pod.namespace}/${pod.name}`
}

export function isFinished({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed"
}

interface VifParts extends PodPort {
  readonly network: NetworkSubnets
  readonly ovsBridge?: string
  /** The port needs no agent to become active. */
  readonly activeAtOnce: boolean
}

/** What kuryr's CNI plugin reads. */
function vifText({ port, vlanId, network, ovsBridge, activeAtOnce }: VifParts): string {
  if (activeAtOnce) return encodeVif({ ...macvlanVif(port, network), active: true })
  return encodeVif(vlanId === undefined ? bridgedVif(port, network, ovsBridge) : vlanVif(port, network, vlanId))
}

type Primitive = Readonly<Record<string, unknown>>

/** The same text, with an active VIF: whatever else a later kuryr put into it stays as it is. */
function activated(text: string): string {
  const whole = JSON.parse(text) as Primitive
  const data = whole["versioned_object.data"] as Primitive
  const on = (vif: Primitive) => ({ ...vif, "versioned_object.data": { ...(vif["versioned_object.data"] as Primitive), active: true } })
  if (data.default_vif === undefined) return pythonJson(on(whole))
  return pythonJson({ ...whole, "versioned_object.data": { ...data, default_vif: on(data.default_vif as Primitive) } })
}
