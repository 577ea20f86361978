import type { Namespace } from "@pilothouse/api/core/v1"
import { type Plan, plan } from "@pilothouse/runtime"
import { statusWith } from "./conditions.ts"
import { ofCollection } from "./delete-items.ts"
import { type Content, ownFinalizer } from "./observe.ts"
import { reportStatus } from "./report-status.ts"

/** Takes our finalizer away and nobody else's; without any left the server removes the namespace. */
export function finalize(namespace: Namespace, { blind }: Content): Plan {
  const built = plan()
  for (const of of blind) {
    built.operation({
      ...ofCollection(of, namespace),
      tolerate: ["NotFound", "MethodNotAllowed"],
      reason: "it cannot be seen whether there are any",
    })
  }
  if (blind.length > 0) built.nextStep()
  const finalizers = (namespace.spec?.finalizers ?? []).filter((finalizer) => finalizer !== ownFinalizer)
  const object: Namespace = { ...namespace, spec: { ...namespace.spec, finalizers } }
  return built.operation({ do: "update", subresource: "finalize", object, reason: "the namespace is empty", tolerate: ["NotFound"] })
}

/** We are done, and somebody else is not: the namespace stays until they are, and says whom it waits for. */
export function waitForOthers(namespace: Namespace, now: number): Plan {
  const others = [...(namespace.spec?.finalizers ?? []), ...(namespace.metadata.finalizers ?? [])]
  if (others.length === 0) return plan().nothing("the namespace is empty and goes")
  const built = plan().waitFor(`the finalizers ${others.join(", ")}`)
  const finalizers = `The namespace is empty and waits for finalizers of its own: ${others.join(", ")}`
  reportStatus(built, namespace, statusWith(namespace, { finalizers }, now))
  return built.steps.length > 0 ? built : built.nothing(finalizers)
}
