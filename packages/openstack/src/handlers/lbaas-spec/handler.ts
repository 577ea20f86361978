import { keyOf } from "@pilothouse/api"
import { endpoints, namespaces, type Service, services } from "@pilothouse/api/core/v1"
import { type EventHandler, eventHandler, type HandlerEvent, plan, type Reader, watch } from "@pilothouse/runtime"
import type { ProjectDriver } from "../../drivers/project/project.ts"
import type { SecurityGroupsDriver } from "../../drivers/security-groups/security-groups.ts"
import type { SubnetsDriver } from "../../drivers/subnets/subnets.ts"
import { decodeSpec, readAnnotation, specAnnotation } from "../annotations.ts"
import { conditionTypes, withCondition } from "../fault-conditions.ts"
import { decideIfObserved, type ObserveResult, observeErrorEvent, observeErrorExecutors, observeOrError } from "../observe-errors.ts"
import type { Ownership } from "../ownership.ts"
import { decideSpec, type SpecObserved } from "./decide.ts"

export interface SpecHandlerOptions {
  readonly ownership: Ownership
  readonly project: ProjectDriver
  readonly subnets: SubnetsDriver
  readonly groups: SecurityGroupsDriver
  readonly dryRun?: boolean
}

/**
 * Says on a Service, and on the Endpoints of its name, what its load balancer has to be like.
 * Watches Services and Endpoints; writes one annotation on each, and a condition where something is wrong. The load balancer itself is for another handler.
 */
export function lbaasSpecHandler(options: SpecHandlerOptions): EventHandler {
  const handler: EventHandler<Service, ObserveResult<SpecObserved>> = {
    name: "lbaasspec",
    of: services,
    reads: [namespaces],
    watches: [watch(endpoints, "the Endpoints of its name changed", (object) => [keyOf(object)])],
    eventSource: "kuryr-controller",
    executors: observeErrorExecutors,
    observe: (event, read, signal) =>
      observeOrError(event, { dryRun: options.dryRun, signal }, () => observe(event, read, options, signal)),
    onPresent: decideIfObserved("KuryrLoadBalancerFailed", decideSpec),
    settle: (event, _, results) => observeErrorEvent(event, "KuryrLoadBalancerFailed", results) ?? plan(),
  }
  return eventHandler(withCondition(conditionTypes.lbaasspec, handler))
}

async function observe(
  { object: service, key, type }: HandlerEvent<Service>,
  read: Reader,
  { ownership, project, subnets, groups }: SpecHandlerOptions,
  signal: AbortSignal,
): Promise<SpecObserved> {
  const found = type === "deleted" ? [] : (await subnets.subnetsFor(service, { signal })).subnets
  const namespace = read.get(namespaces, service.metadata.namespace ?? "")
  const its = read.get(endpoints, key)
  return {
    skipReason: ownership.namespace(namespace),
    endpoints: its,
    namespace,
    subnets: found,
    project: project.projectFor(service),
    groups: groups.groupsFor(service, namespace),
    onService: readAnnotation(service, specAnnotation, decodeSpec),
    onEndpoints: readAnnotation(its, specAnnotation, decodeSpec),
  }
}
