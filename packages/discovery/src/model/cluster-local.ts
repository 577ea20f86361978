import type { Service } from "./service.ts"

/** Services that mean something else in every cluster: merged by hostname, a client of one must not get to the API server or the DNS of another. */
export function isClusterLocal({ name, namespace }: Pick<Service, "name" | "namespace">): boolean {
  return namespace === "kube-system" || (namespace === "default" && name === "kubernetes")
}
