import type { Service } from "@pilothouse/api/core/v1"
import { type Plan, type PlanBuilder, plan, type Result } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import { isSameStatus } from "./balancer-status.ts"
import { nodeNames } from "./node-set.ts"
import type { Observed } from "./observe.ts"
import type { BalancerAnswer, BalancerOperation, EnsureBalancer, UpdateBalancer } from "./operations.ts"
import { annotationPatch, type BalancerAnnotations, type FinalizerPatch, statusPatch } from "./service-patches.ts"

/** Records the outcome as events, and writes the balancer's address into the Service. */
export function settle(observed: Observed, results: readonly Result[]): Plan {
  const failed = results.find((result) => result.ok === false)
  if (failed?.ok === false) return recordFailure(observed, failed)
  const built = plan()
  for (const result of results) {
    // Without a value it was a dry run: nothing has happened that could be recorded.
    if (result.ok === true && result.value !== undefined) succeeded(built, observed, result.operation as BalancerOperation, result.value)
  }
  return built
}

function succeeded(built: PlanBuilder, observed: Observed, operation: BalancerOperation, value: unknown): void {
  switch (operation.do) {
    case "remember-service":
      built.requeueAfter(0, operation.task === "ensure" ? "the load balancer is to be ensured" : "the load balancer is to be deleted")
      return
    case "remember-no-balancer":
      if (observed.service !== undefined && observed.service.metadata.uid !== operation.service.metadata.uid)
        built.requeueAfter(0, "the Service that has its name now is next")
      return
    case "ensure-balancer":
      return ensured(built, observed, operation, value as BalancerAnswer)
    case "update-balancer":
      return updated(built, operation, value as BalancerAnswer)
  }
}

/** The first reconcile of a new process that finds a matching balancer has no event announced, and records none. */
function ensured(built: PlanBuilder, { cached }: Observed, { service, nodes }: EnsureBalancer, answer: BalancerAnswer): void {
  if (answer.is !== "ensured") return
  const isNews = !isSameStatus(answer.status, service.status?.loadBalancer)
  if (isNews) built.operation(statusPatch(service, answer.status))
  if (!isWritten(service, answer.annotations)) built.operation(annotationPatch(service, answer.annotations))
  if (!isNews && !answer.changed && cached === undefined) return
  if (nodes.length === 0) recordNoNodes(built, service)
  for (const { type, reason, message } of answer.notices) built.event(service, type, reason, message)
  built.event(service, "Normal", "EnsuredLoadBalancer", "Ensured load balancer")
}

function isWritten({ metadata }: Service, annotations: BalancerAnnotations): boolean {
  return Object.entries(annotations ?? {}).every(([name, value]) => metadata.annotations?.[name] === value)
}

function updated(built: PlanBuilder, { service, nodes }: UpdateBalancer, answer: BalancerAnswer): void {
  if (answer.is === "missing") built.requeueAfter(0, "the cloud has lost the load balancer: it is created again")
  if (answer.is !== "updated") return
  if (nodes.length === 0) recordNoNodes(built, service)
  else built.event(service, "Normal", "UpdatedLoadBalancer", "Updated load balancer with new hosts")
}

function recordNoNodes(built: PlanBuilder, service: Service): void {
  built.event(service, "Warning", "UnAvailableLoadBalancer", "There are no available nodes for LoadBalancer")
}

function recordFailure(observed: Observed, { operation, error }: Result & { readonly ok: false }): Plan {
  const built = plan()
  const message = messageOf(error)
  const balancer = operation as BalancerOperation
  const about = balancer.do === "delete-balancer" ? balancer.service : observed.service
  if (about === undefined) return built
  if (balancer.do === "update-balancer") {
    const text = `Error updating load balancer with new hosts ${nodeNames(balancer.nodes)} [node names limited, total number of nodes: ${balancer.nodes.length}], error: ${message}`
    return built.event(about, "Warning", "UpdateLoadBalancerFailed", text)
  }
  if (balancer.do === "delete-balancer" && about.metadata.uid !== observed.service?.metadata.uid)
    return built.event(about, "Warning", "DeleteLoadBalancerFailed", `Error deleting load balancer: ${message}`)
  return built.event(about, "Warning", "SyncLoadBalancerFailed", `Error syncing load balancer: ${failing(operation)}: ${message}`)
}

function failing(operation: Result["operation"]): string {
  if (operation.do === "ensure-balancer") return "failed to ensure load balancer"
  if (operation.do === "delete-balancer") return "failed to delete load balancer"
  const { finalizer } = operation as Partial<FinalizerPatch>
  return finalizer === undefined ? "failed to update load balancer status" : `failed to ${finalizer} load balancer cleanup finalizer`
}
