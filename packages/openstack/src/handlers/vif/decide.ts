import type { Pod } from "@pilothouse/api/core/v1"
import { type CustomOperation, type HandlerEvent, type Plan, plan, type Result } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import type { Port } from "../../clients/neutron/types.ts"
import type { PodPort } from "../../drivers/pod-vif.ts"
import type { NetworkSubnets } from "../../drivers/subnets.ts"
import type { PodWish } from "../../drivers/vif-pool.ts"
import type { Vif } from "../../versioned-objects/objects.ts"
import { type Annotated, annotate, vifAnnotation } from "../annotations.ts"
import { activated, vifText } from "../vif-annotation.ts"

export interface EnsurePort extends CustomOperation {
  readonly do: "ensure-port"
  readonly wish: PodWish
}

export interface ReleasePort extends CustomOperation {
  readonly do: "release-port"
  readonly pod: PodWish["pod"]
}

export interface VifObserved {
  /** Why it is left alone; undefined: it is ours. */
  readonly notOurs?: string
  readonly vif: Annotated<Vif>
  readonly wish: PodWish
  readonly network?: NetworkSubnets
  /** The port of a VIF that is not active yet; undefined where it is, or there is none. */
  readonly port?: Port
  readonly ovsBridge?: string
  /** It has a port, whatever its annotation says. */
  readonly hasPort: boolean
  readonly activeAtOnce: boolean
}

/** How soon a port is looked at again that is not active yet, in milliseconds. */
const nextLook = 250

/** Pure: a pod that has a node and no VIF gets one; one that is done gives it back. */
export function decideVif({ object: pod }: HandlerEvent<Pod>, observed: VifObserved): Plan {
  const { notOurs, vif, wish } = observed
  if (pod.spec?.hostNetwork) return plan().nothing("the pod uses the network of its node")
  if (notOurs !== undefined) return plan().nothing(notOurs)
  if (isFinished(pod)) return giveBack(pod, observed)
  if (vif.error !== undefined) throw vif.error
  if (vif.value !== undefined) return activate(pod, vif.value, observed)
  if (!pod.spec?.nodeName) return plan().nothing("the pod has no node yet").waitFor("the scheduler")
  if (pod.status?.phase !== undefined && pod.status.phase !== "Pending") return plan().nothing(`the pod is ${pod.status.phase} without us`)
  const operation: EnsurePort = {
    do: "ensure-port",
    to: nameOf(wish),
    because: `it runs on ${wish.node} and has no port`,
    wish,
  }
  return plan().operation(operation)
}

/** What a port is for: writes it on the pod. */
export function settleVif(
  { object: pod }: HandlerEvent<Pod>,
  { network, ovsBridge, activeAtOnce }: VifObserved,
  results: readonly Result[],
): Plan {
  const made = results.find(({ operation }) => operation.do === "ensure-port")
  if (made?.ok === false) return plan().event(pod, "Warning", "KuryrPortFailed", `no port for the pod: ${messageOf(made.error)}`)
  if (made?.ok !== true || made.value === undefined || network === undefined) return plan()
  const { port, vlanId } = made.value as PodPort
  const active = activeAtOnce || port.status === "ACTIVE"
  const text = vifText({ port, vlanId, network, ovsBridge, activeAtOnce })
  const written = plan().patch(pod, annotate(pod, { [vifAnnotation]: text }), `its port is ${port.id}`)
  return active ? written : written.lookAgain(nextLook, `the port ${port.id} is ${port.status}`)
}

/** Pure: a pod that is gone. */
export function decideGone({ object: pod }: HandlerEvent<Pod>, { notOurs, wish }: VifObserved): Plan {
  if (pod.spec?.hostNetwork) return plan().nothing("the pod used the network of its node")
  if (notOurs !== undefined) return plan().nothing(notOurs)
  return plan().operation(release(wish, "the pod is gone"))
}

function activate(pod: Pod, vif: Vif, { port, activeAtOnce, vif: annotated, wish }: VifObserved): Plan {
  if (vif.active) return plan().nothing("its VIF is active")
  if (port === undefined && !activeAtOnce) {
    const message = `the port ${vif.id} of the pod is gone from the cloud; another is made`
    // Forgotten first: whoever asks for the pod's port would be given the same one again.
    return plan()
      .operation(release(wish, message))
      .afterThat()
      .patch(pod, annotate(pod, { [vifAnnotation]: null }), message)
      .event(pod, "Warning", "KuryrPortGone", message)
  }
  if (port?.status !== "ACTIVE" && !activeAtOnce) {
    const why = `the port ${vif.id} is ${port?.status}`
    return plan().nothing(why).waitFor("the agent of its node").lookAgain(nextLook, why)
  }
  return plan().patch(pod, annotate(pod, { [vifAnnotation]: activated(annotated.text!) }), `the port ${vif.id} is ACTIVE`)
}

/** A pod that finished and is not deleted must not keep an address. */
function giveBack(pod: Pod, { vif, hasPort, wish }: VifObserved): Plan {
  if (vif.text === undefined && !hasPort) return plan().nothing("the pod is done and has no port")
  const made = plan()
    .operation(release(wish, `the pod is ${pod.status?.phase}`))
    .afterThat()
  return vif.text === undefined ? made : made.patch(pod, annotate(pod, { [vifAnnotation]: null }), "its port was given back")
}

function release({ pod }: PodWish, because: string): ReleasePort {
  return { do: "release-port", to: `${pod.namespace}/${pod.name}`, because, pod }
}

function nameOf({ pod }: PodWish): string {
  return `${pod.namespace}/${pod.name}`
}

export function isFinished({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed"
}
