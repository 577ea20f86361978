import { deepEqual } from "@pilothouse/api"
import type { Endpoints, Service } from "@pilothouse/api/core/v1"
import { cleanupFinalizer, wantsLoadBalancer } from "@pilothouse/cloud"
import { type HandlerEvent, type Plan, plan, type Result, RetryAfterError } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import type { TreeOptions } from "../../drivers/drivers.ts"
import { encodeState } from "../../versioned-objects/annotations.ts"
import type { LBaaSState } from "../../versioned-objects/objects.ts"
import { type Annotated, annotate, type ServiceSpec, stateAnnotation, unlessGone } from "../annotations.ts"
import { noBalancerReason } from "../lbaas-spec/decide.ts"
import { observeErrorEvent, unreadableAnnotation } from "../observe-errors.ts"
import { decideTree } from "./decide-tree.ts"
import { buildDesiredTree, mismatch, type Target } from "./desired-tree.ts"
import type { DesiredTree, FoundTree } from "./tree.ts"

/** A Service's specification and state, and the load balancer that Octavia has for it. */
export interface BalancerObserved {
  readonly skipReason?: string
  readonly endpoints?: Endpoints
  readonly spec: Annotated<ServiceSpec>
  readonly state: Annotated<LBaaSState>
  readonly targets: readonly Target[]
  readonly options: TreeOptions
  /** As it is, or as it was a short while ago where it was right then and the same is wanted now. */
  readonly found: FoundTree | undefined
  /** What the security groups of the pods would not let through, and the rule that is missing. */
  readonly refused?: readonly string[]
  /** Milliseconds that the load balancer was never seen to take changes. */
  readonly pendingFor?: number
}

/** Reports whether a Service is to have no load balancer, whatever its specification says. */
export function needsNone(service: Service, gone: boolean): boolean {
  return gone || service.metadata.deletionTimestamp !== undefined || noBalancerReason(service) !== undefined
}

/** The tree that a Service should have; undefined: none. */
export function desiredTreeFor(
  service: Service,
  observed: Pick<BalancerObserved, "spec" | "targets" | "options">,
  gone: boolean,
): DesiredTree | undefined {
  if (needsNone(service, gone) || observed.spec.value === undefined) return undefined
  return buildDesiredTree(service, observed.spec.value, observed.targets, observed.options).tree
}

/** Pure: Service, endpoints and what the cloud has → what to do to the load balancer, then what to write down about it. */
export function decideBalancer(event: HandlerEvent<Service>, observed: BalancerObserved): Plan {
  const { object: service } = event
  if (observed.skipReason !== undefined) return plan().nothing(observed.skipReason)
  const gone = event.type === "deleted" || service.metadata.deletionTimestamp !== undefined
  if (!gone) {
    const wait = waitPlan(event, observed)
    if (wait !== undefined) return wait
  }
  const desired = desiredTreeFor(service, observed, gone)
  const decision = decideTree(desired, observed.found)
  if ("waitFor" in decision) return waitFor(event, decision.waitFor, observed.pendingFor)
  const made = plan()
  if (desired !== undefined && wantsLoadBalancer(service) && !hasFinalizer(service)) {
    made.patch(service, withFinalizer(service), "a load balancer is made for it, which has to go before it goes").nextStep()
  }
  if (desired !== undefined) {
    reportLost(made, service, observed)
    // Owner marks are not part of the state: it does not wait for a mark, which may fail repeatedly.
    if (decision.operations.every((one) => one.do === "mark-balancer")) recordState(made, service, observed, observed.found)
  }
  for (const operation of decision.operations) made.operation(operation).nextStep()
  return desired === undefined && event.type !== "deleted" ? withoutTree(made, service, observed) : made
}

/** Octavia never works on one change for so long, in milliseconds: its operator has to intervene. */
const stuckAfter = 300_000

/** Every second while it may end any moment; one that is stuck is looked at ever more rarely, down to once a minute. */
function waitFor({ type, object: service }: HandlerEvent<Service>, why: string, pending = 0): Plan {
  const next = Math.min(60_000, Math.max(1000, pending / 10))
  // A deletion that only waited would count as handled, and its load balancer would be orphaned.
  if (type === "deleted") throw new RetryAfterError(next, why)
  const made = plan().nothing(why).waitFor("Octavia").requeueAfter(next, why)
  if (pending < stuckAfter) return made
  const help = "Octavia takes no change of it, nor its deletion; its operator has to set it to ERROR, and then it is created again"
  // The same message at every reconcile: events are aggregated, and the condition is written once.
  return made.event(service, "Warning", "KuryrLoadBalancerStuck", `${why}, for more than ${stuckAfter / 60_000} minutes: ${help}`)
}

/** It was deleted by another client, or failed: it is created again, and an event explains the interruption. */
function reportLost(made: ReturnType<typeof plan>, service: Service, { found, state }: BalancerObserved): void {
  const last = state.value?.loadbalancer?.id
  if (found === undefined && last !== undefined)
    made.event(service, "Warning", "KuryrLoadBalancerGone", `the load balancer ${last} is gone from the cloud; another is made`)
  if (found?.balancer.provisioning_status === "ERROR")
    made.event(service, "Warning", "KuryrLoadBalancerInError", `the load balancer ${found.balancer.id} is in ERROR; it is created again`)
}

/** Reports on the Service what of a plan failed. */
export function settleBalancer(event: HandlerEvent<Service>, results: readonly Result[]): Plan {
  const { type, object: service } = event
  if (type === "deleted") return plan()
  const observeError = observeErrorEvent(event, "KuryrLoadBalancerFailed", results)
  if (observeError !== undefined) return observeError
  const inCloud = results.filter(({ operation }) => operation.do.includes("-"))
  const failed = inCloud.find(({ ok }) => ok === false)
  if (failed?.ok === false)
    return plan().event(service, "Warning", "KuryrLoadBalancerFailed", `${failed.operation.do} failed: ${messageOf(failed.error)}`)
  // Only after success: a plan that failed waits as long as failures wait.
  const changed = inCloud.length > 0 && results.every(({ ok }) => ok === true)
  return changed ? plan().requeueAfter("1ms", "what was made has to be written down") : plan()
}

function waitPlan(event: HandlerEvent<Service>, { spec, state, targets }: BalancerObserved): Plan | undefined {
  const { object: service } = event
  const broken = spec.error ?? state.error
  if (broken !== undefined) return unreadableAnnotation(event, broken)
  if (noBalancerReason(service) !== undefined) return undefined
  if (spec.value === undefined) return plan().nothing("its specification is not written yet").waitFor("the handler lbaasspec")
  if (spec.value.ip !== service.spec?.clusterIP)
    return plan().nothing("its specification is older than its address").waitFor("the handler lbaasspec")
  const differ = mismatch(spec.value, targets)
  return differ === undefined ? undefined : plan().nothing(differ).waitFor("the other half of the change")
}

function recordState(made: ReturnType<typeof plan>, service: Service, observed: BalancerObserved, found: FoundTree | undefined): void {
  if (found === undefined) return
  const { endpoints, state } = observed
  reportUnserved(made, service, observed)
  const on = endpoints ?? service
  const text = encodeState(balancerState(found))
  if (state.text !== text)
    made.patch(on, annotate(on, { [stateAnnotation]: text }), "the load balancer is up to date: this is what it consists of", unlessGone)
  recordIngress(made, service, found)
  if (made.steps.some(({ operations }) => operations.length > 0)) made.nextStep()
  else made.nothing("the load balancer is up to date")
}

/** Reports what of a Service its load balancer, which is up to date, does not serve. */
function reportUnserved(made: ReturnType<typeof plan>, service: Service, { spec, targets, options, refused = [] }: BalancerObserved): void {
  for (const why of refused) made.event(service, "Warning", "KuryrPodsUnreachable", `the load balancer does not reach its pods: ${why}`)
  const { skipped } = buildDesiredTree(service, spec.value!, targets, options)
  for (const why of skipped) made.event(service, "Warning", "KuryrMemberSkipped", `not a member: ${why}`)
}

/** Records the external address. A Service without one has no ingress and no finalizer. */
function recordIngress(made: ReturnType<typeof plan>, service: Service, { floating }: FoundTree): void {
  const isRequested = wantsLoadBalancer(service)
  const type = service.spec?.type ?? "ClusterIP"
  if (type === "LoadBalancer" && !isRequested) return
  const desired = isRequested && floating !== undefined ? [{ ip: floating.floating_ip_address }] : undefined
  if (!deepEqual(ingressAddresses(service), desired)) {
    const reason = desired === undefined ? "it has no address outside" : "its address outside"
    made.patch(service, { status: { loadBalancer: { ingress: desired ?? null } } }, reason, { subresource: "status", ...unlessGone })
  }
  if (!isRequested && hasFinalizer(service))
    made.patch(service, withoutFinalizer(service), `it is of type ${type} now: nothing outside waits to be cleaned up`, unlessGone)
}

function ingressAddresses({ status }: Service): readonly { readonly ip?: string }[] | undefined {
  return status?.loadBalancer?.ingress?.map(({ ip }) => ({ ip }))
}

/** Nothing is left of it: the annotations and the finalizer go. */
function withoutTree(made: ReturnType<typeof plan>, service: Service, { endpoints, state }: BalancerObserved): Plan {
  const on = endpoints ?? service
  if (state.text !== undefined && service.metadata.deletionTimestamp === undefined)
    made.patch(on, annotate(on, { [stateAnnotation]: null }), "its load balancer is gone", unlessGone).nextStep()
  if (hasFinalizer(service)) made.patch(service, withoutFinalizer(service), "its load balancer is gone", unlessGone)
  return made.steps.some(({ operations }) => operations.length > 0)
    ? made
    : made.nothing(noBalancerReason(service) ?? "there is no load balancer")
}

function hasFinalizer({ metadata }: Service): boolean {
  return metadata.finalizers?.includes(cleanupFinalizer) === true
}

function withFinalizer({ metadata }: Service): unknown {
  return { metadata: { resourceVersion: metadata.resourceVersion, finalizers: [...(metadata.finalizers ?? []), cleanupFinalizer] } }
}

function withoutFinalizer({ metadata }: Service): unknown {
  const finalizers = (metadata.finalizers ?? []).filter((name) => name !== cleanupFinalizer)
  return { metadata: { resourceVersion: metadata.resourceVersion, finalizers } }
}

/** What the cloud has, as the state annotation says it; in the order of names, so that the same tree gives the same text. */
function balancerState({ balancer, listeners }: FoundTree): LBaaSState {
  const { id, name, project_id, vip_address: ip, vip_subnet_id: subnet_id } = balancer
  const sorted = listeners.toSorted((one, other) => compare(one.listener.name, other.listener.name))
  return {
    loadbalancer: { id, name, project_id, ip, subnet_id },
    listeners: sorted.map(({ listener }) => ({
      id: listener.id,
      project_id,
      name: listener.name,
      loadbalancer_id: id,
      protocol: listener.protocol,
      port: listener.protocol_port,
    })),
    pools: sorted.flatMap(({ listener, pool }) =>
      pool === undefined
        ? []
        : [{ id: pool.id, project_id, name: pool.name, loadbalancer_id: id, listener_id: listener.id, protocol: pool.protocol }],
    ),
    members: sorted.flatMap(({ pool, members }) =>
      members
        .toSorted((one, other) => compare(one.name, other.name))
        .map((one) => ({
          id: one.id,
          project_id,
          name: one.name,
          pool_id: pool?.id ?? "",
          subnet_id: one.subnet_id ?? subnet_id,
          ip: one.address,
          port: one.protocol_port,
        })),
    ),
  }
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}
