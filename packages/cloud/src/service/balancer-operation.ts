import { keyOf } from "@pilothouse/api"
import type { Node, Service } from "@pilothouse/api/core/v1"
import type { DeleteBalancer, EnsureBalancer, RememberNoBalancer, RememberService, UpdateBalancer } from "./operations.ts"
import type { Task } from "./remembered.ts"

export function rememberService(service: Service, task: Task, reason: string): RememberService {
  return shownShort({ do: "remember-service", to: keyOf(service), reason, service, task })
}

export function rememberNoBalancer(service: Service, reason: string): RememberNoBalancer {
  return shownShort({ do: "remember-no-balancer", to: keyOf(service), reason, service })
}

export function ensureBalancer(service: Service, nodes: readonly Node[], reason: string): EnsureBalancer {
  return shownShort({ do: "ensure-balancer", to: keyOf(service), reason, service, nodes })
}

export function updateBalancer(service: Service, nodes: readonly Node[], reason: string): UpdateBalancer {
  return shownShort({ do: "update-balancer", to: keyOf(service), reason, service, nodes })
}

export function deleteBalancer(service: Service, reason: string): DeleteBalancer {
  return shownShort({ do: "delete-balancer", to: keyOf(service), reason, service })
}

/** A trace that had every node in every line would be read by nobody. */
function shownShort<O extends { readonly service: Service; readonly nodes?: readonly Node[] }>(operation: O): O {
  const { service, nodes, ...rest } = operation
  const shown = { ...rest, service: keyOf(service), nodes: nodes?.map((node) => node.metadata.name) }
  return Object.defineProperty(operation, "toJSON", { value: () => shown, enumerable: false })
}
