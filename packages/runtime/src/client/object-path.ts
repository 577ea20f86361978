import { type Descriptor, type KubeObject, pathOf, type Ref, refOf, resourceNameOf, splitKey } from "@pilothouse/api"
import { PilothouseError } from "@pilothouse/seams"

/** Identifies an object: its key ("default/web", or "node-1" for a cluster-scoped one), or anything that has its metadata. */
export type Target = string | Pick<KubeObject, "metadata">

/** Returns namespace and name of a key ("default/web") or of an object. */
export function targetRef(target: Target): Ref {
  return typeof target === "string" ? splitKey(target) : refOf(target)
}

/** Returns the path of one object. Throws without a name: it would be the path of the collection, which a delete would empty. */
export function objectPath(of: Descriptor, target: Target, subresource?: string): string {
  const { name, namespace } = targetRef(target)
  const what = resourceNameOf(of)
  if (name === "") throw new PilothouseError("INVALID", `expected the name of one of ${what}, found none; give its key or its metadata`)
  checkNamespace(of, namespace, `${what} "${name}"`)
  return pathOf(of, { namespace, name, subresource })
}

/** Returns the path for creating objects. */
export function collectionPath(of: Descriptor, namespace: string | undefined): string {
  checkNamespace(of, namespace, `a new object of ${resourceNameOf(of)}`)
  return pathOf(of, { namespace: namespace || undefined })
}

/** The server would answer with a 404 or 405 without the reason. */
function checkNamespace({ namespaced }: Descriptor, namespace: string | undefined, what: string): void {
  if (namespaced && !namespace)
    throw new PilothouseError(
      "INVALID",
      `expected a namespace for ${what}, found none; set metadata.namespace, or use the key "namespace/name"`,
    )
  if (!namespaced && namespace)
    throw new PilothouseError(
      "INVALID",
      `expected no namespace for ${what}, which belongs to the whole cluster, found "${namespace}"; leave it out`,
    )
}
